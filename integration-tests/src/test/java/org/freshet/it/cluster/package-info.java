/**
 * Freshet on real HDFS and YARN daemons: two DataNodes and two NodeManagers in this JVM, containers
 * in processes of their own, shared by all tests of the module. Start with {@link
 * org.freshet.it.cluster.MiniHadoop}.
 */
package org.freshet.it.cluster;
