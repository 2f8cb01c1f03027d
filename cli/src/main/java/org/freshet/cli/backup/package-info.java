/**
 * Incremental backup over content-defined chunks: an agent that cuts an image and sends what the
 * server lacks, and a server that keeps each chunk once.
 *
 * <p>The second use of P. Bhatotia, R. Rodrigues, A. Verma: "Shredder: GPU-accelerated incremental
 * storage and computation", FAST 2012, section 6.3: chunks are formed, digested, looked up in an
 * index, and travel as a pointer where the backup site has them. {@link
 * org.freshet.cli.backup.SimilarityExperiment} repeats its evaluation. An example: it knows no
 * users, no encryption and no deletion, and talks on the loopback interface only. Start reading at
 * {@link org.freshet.cli.backup.BackupAgent}.
 */
package org.freshet.cli.backup;
