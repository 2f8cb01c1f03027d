/**
 * What the tests share: configurations of stock Hadoop and of Freshet, work directories, job jars,
 * and the comparison of outputs and counters. Nothing here knows what is tested. Start with {@link
 * org.freshet.it.harness.LocalHadoop}.
 */
package org.freshet.it.harness;
