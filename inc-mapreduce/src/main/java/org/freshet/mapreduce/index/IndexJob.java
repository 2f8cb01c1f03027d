/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package org.freshet.mapreduce.index;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;

/**
 * Indexes files by a MapReduce job without reduces: near the data, and as many at a time as the
 * cluster has room for. Files that have their index are not read, so that a job that was broken off
 * goes on where it was.
 */
public final class IndexJob {
  private static final int LOOKUPS = 16;
  private static final int MOST_HOSTS = 3;

  /** What became of the files. */
  public enum Counter {
    FILES_INDEXED,
    FILES_KNOWN,
    FILES_EMPTY,
    FILES_FAILED,
    CHUNKS,
    BYTES_READ
  }

  private final Configuration conf;

  /**
   * @param conf names the cluster, the sizes of chunks, the place of the indexes, and with {@value
   *     MRJobConfig#MAP_CPU_VCORES} the threads of a map
   */
  public IndexJob(Configuration conf) {
    this.conf = conf;
  }

  /**
   * What a job did.
   *
   * @param failures by path, why a file has no index
   */
  public record Result(
      long indexed,
      long known,
      long empty,
      long chunks,
      long bytesRead,
      Map<String, String> failures) {}

  /**
   * Runs the job and waits for it.
   *
   * @param started is told the job's id and where its web page is
   * @throws IOException if the job cannot be run, or fails; indexes that were made stay
   */
  public Result run(List<FileStatus> files, BiConsumer<String, String> started)
      throws IOException, InterruptedException {
    FileSystem fs = FileSystem.get(conf);
    Path directory = new Path(fs.getHomeDirectory(), ".freshet/jobs/index-" + UUID.randomUUID());
    try {
      Path list = new Path(directory, "files");
      write(fs, list, files);
      Job job = job(list, new Path(directory, "failures"));
      job.submit();
      started.accept(job.getJobID().toString(), job.getTrackingURL());
      if (!job.waitForCompletion(false)) {
        throw new IOException(
            "The job " + job.getJobID() + " failed: " + job.getStatus().getFailureInfo());
      }
      return result(fs, job);
    } catch (ClassNotFoundException e) {
      throw new IOException("The job lacks a class", e);
    } finally {
      fs.delete(directory, true);
    }
  }

  private Job job(Path list, Path failures) throws IOException {
    Job job = Job.getInstance(conf, "freshet index");
    job.setJarByClass(IndexJob.class);
    job.setInputFormatClass(FileListInputFormat.class);
    job.setMapperClass(IndexMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    // A second attempt at the same time would read the same files again.
    job.setMapSpeculativeExecution(false);
    FileOutputFormat.setOutputPath(job, failures);
    // There are no options to parse, and Hadoop warns of what it takes for an omission.
    job.getConfiguration().setBoolean("mapreduce.client.genericoptionsparser.used", true);
    job.getConfiguration().set(FileListInputFormat.LIST, list.toString());
    return job;
  }

  private void write(FileSystem fs, Path list, List<FileStatus> files)
      throws IOException, InterruptedException {
    ExecutorService executor = Executors.newFixedThreadPool(LOOKUPS);
    try (FSDataOutputStream out = fs.create(list)) {
      List<Future<ListedFile>> located = new ArrayList<>();
      for (FileStatus file : files) {
        located.add(executor.submit(() -> listed(file)));
      }
      for (Future<ListedFile> file : located) {
        file.get().write(out);
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw new IllegalStateException("Locating files failed", e.getCause());
    } finally {
      executor.shutdownNow();
    }
  }

  private ListedFile listed(FileStatus file) throws IOException {
    FileSystem fs = file.getPath().getFileSystem(conf);
    BlockLocation[] blocks;
    try {
      blocks =
          file instanceof LocatedFileStatus located
              ? located.getBlockLocations()
              : fs.getFileBlockLocations(file, 0, file.getLen());
    } catch (FileNotFoundException e) {
      // The map says so.
      blocks = new BlockLocation[0];
    }
    Path path = fs.makeQualified(file.getPath());
    return new ListedFile(path, file.getLen(), hosts(path, blocks));
  }

  /**
   * The hosts that hold most of a file, the one with the most first. Of those with equally much
   * another one comes first for each file, so that all get their share.
   */
  private static String[] hosts(Path file, BlockLocation[] blocks) throws IOException {
    Map<String, Long> bytes = new HashMap<>();
    for (BlockLocation block : blocks) {
      for (String host : block.getHosts()) {
        bytes.merge(host, block.getLength(), Long::sum);
      }
    }
    return bytes.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .reversed()
                .thenComparing(entry -> Objects.hash(entry.getKey(), file)))
        .limit(MOST_HOSTS)
        .map(Map.Entry::getKey)
        .toArray(String[]::new);
  }

  private Result result(FileSystem fs, Job job) throws IOException {
    Map<String, String> failures = new HashMap<>();
    FileStatus[] parts =
        fs.listStatus(
            FileOutputFormat.getOutputPath(job), path -> path.getName().startsWith("part-"));
    Arrays.sort(parts);
    for (FileStatus part : parts) {
      try (SequenceFile.Reader in =
          new SequenceFile.Reader(conf, SequenceFile.Reader.file(part.getPath()))) {
        Text file = new Text();
        Text why = new Text();
        while (in.next(file, why)) {
          failures.put(file.toString(), why.toString());
        }
      }
    }
    return new Result(
        count(job, Counter.FILES_INDEXED),
        count(job, Counter.FILES_KNOWN),
        count(job, Counter.FILES_EMPTY),
        count(job, Counter.CHUNKS),
        count(job, Counter.BYTES_READ),
        failures);
  }

  private static long count(Job job, Counter counter) throws IOException {
    return job.getCounters().findCounter(counter).getValue();
  }
}
