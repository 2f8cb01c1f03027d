/**
 * What tests on the local job runner share: configurations of stock Hadoop and of Freshet, work
 * directories, job jars. Nothing here knows what is tested. Start with {@link
 * org.freshet.it.local.LocalHadoop}.
 */
package org.freshet.it.local;
