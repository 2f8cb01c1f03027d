/**
 * Files on HDFS that Freshet's client wrote, for jobs and for stock clients: what is read of them,
 * and by whom. Start with {@link org.freshet.it.hdfs.TwoVersionsIT}.
 */
package org.freshet.it.hdfs;
