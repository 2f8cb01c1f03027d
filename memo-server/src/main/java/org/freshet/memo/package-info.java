/**
 * The memoization store: where the runs of an incremental job are kept between two executions of
 * it.
 *
 * <p>It holds bytes and says where they are; what the bytes mean (keys, values, trees) is the
 * caller's affair. It stands on Hadoop's {@code FileSystem} alone, so that HDFS and the local disk
 * serve alike, and needs nothing from MapReduce.
 *
 * <h2>Layout under a store's root</h2>
 *
 * <pre>{@code
 * v1/lineages/<lineage, 64 hexadecimal digits>/
 *     lineage.txt                      what the lineage is, for people
 *     manifests/<sequence>-<run id>    one immutable record per published job run
 *     runs/<run id>/...                packs and partition files that one job run wrote
 *     leases/<run id>                  the runs that a running job relies on
 * }</pre>
 *
 * <p>A job writes below {@code runs/<its run id>/} only. All of it is invisible until one atomic
 * rename puts a manifest that names it into {@code manifests/}; a job that fails leaves nothing
 * visible. Nothing that is published is ever changed, it is only deleted, and only by the
 * collector.
 *
 * <h2>What readers may rely on</h2>
 *
 * <p>Each pack, partition file and manifest carries digests that are checked on reading. What is
 * damaged or missing reads as absent, or fails with {@link org.freshet.memo.CorruptStoreException}
 * or {@link org.freshet.memo.CorruptRunException}; it never yields a wrong value. Losing any file
 * costs time, not results. Listings ignore files they do not know.
 *
 * <h2>Where to start reading</h2>
 *
 * <ol>
 *   <li>{@link org.freshet.memo.MemoStore} and {@link org.freshet.memo.LineageStore}: finding,
 *       publishing, leasing;
 *   <li>{@link org.freshet.memo.Manifest}: what a job run leaves behind;
 *   <li>{@link org.freshet.memo.PackWriter} and {@link org.freshet.memo.RunInput}: the runs
 *       themselves;
 *   <li>{@link org.freshet.memo.PartitionFile} and {@link org.freshet.memo.PartitionIndex}: from a
 *       leaf's or node's id to its run;
 *   <li>{@code Collector}: what is deleted, when, and why that is safe.
 * </ol>
 */
package org.freshet.memo;
