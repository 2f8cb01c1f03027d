/**
 * A real Hadoop on this machine: NameNode, DataNodes, ResourceManager, NodeManagers and history
 * server, each a JVM of its own, started from the Maven jars on free loopback ports.
 *
 * <p>Nothing here knows Freshet's computation, and the daemons have no class of Freshet on their
 * class path: to them every job is a stock job. Start reading at {@link
 * org.freshet.cli.cluster.LocalCluster}; {@link org.freshet.cli.cluster.ClusterSite} says how the
 * daemons are configured and {@link org.freshet.cli.cluster.ClusterDaemons} what is launched.
 */
package org.freshet.cli.cluster;
