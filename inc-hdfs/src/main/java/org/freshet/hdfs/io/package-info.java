/**
 * Files that are chunked while they are written to HDFS. {@link
 * org.freshet.hdfs.io.IncrementalFileSystem} and its FileContext twin {@link
 * org.freshet.hdfs.io.IncrementalHdfs} are stock clients of a stock NameNode, but for the streams
 * that they give to write to: an {@link org.freshet.hdfs.io.IncrementalOutputStream} finds the
 * chunks, ends blocks at some of their cuts, and leaves an index in the {@link
 * org.freshet.hdfs.index.FileIndexStore} when the file is closed.
 *
 * <p>What is tied to one version of Hadoop's own classes is in {@link
 * org.freshet.hdfs.io.StockOutputStream} and {@link org.freshet.hdfs.io.StockFileSystem}.
 */
