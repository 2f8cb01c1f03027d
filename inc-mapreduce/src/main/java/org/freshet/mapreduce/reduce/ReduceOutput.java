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
package org.freshet.mapreduce.reduce;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.Progressable;
import org.freshet.mapreduce.map.MapPack;
import org.freshet.mapreduce.reduce.PartitionRecord.OutputFile;
import org.freshet.mapreduce.run.Run;
import org.freshet.mapreduce.submit.JobRewrite;
import org.freshet.memo.RunInput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that a reduce attempt writes: all that is in the work directory which stock
 * FileOutputCommitter gives the attempt, whatever output format or side file put it there. Output
 * that goes elsewhere is not known here, and such a reduce is never reused.
 */
public final class ReduceOutput {
  private static final Logger LOG = LoggerFactory.getLogger(ReduceOutput.class);
  private static final String ASIDE = "_freshet_reused";

  private final FileSystem fs;
  private final Path workDir;

  private ReduceOutput(FileSystem fs, Path workDir) {
    this.fs = fs;
    this.workDir = workDir;
  }

  /** The output of an attempt, if it goes to files of a stock committer. */
  public static Optional<ReduceOutput> of(
      JobConf job, org.apache.hadoop.mapreduce.TaskAttemptID attempt) {
    try {
      Optional<Path> work = workDir(job, attempt);
      if (work.isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(new ReduceOutput(work.get().getFileSystem(job), work.get()));
    } catch (IOException | InterruptedException | RuntimeException e) {
      LOG.info("The output of {} can't be watched, so it will not be reused: {}", attempt, e);
      return Optional.empty();
    }
  }

  private static Optional<Path> workDir(
      JobConf job, org.apache.hadoop.mapreduce.TaskAttemptID attempt)
      throws IOException, InterruptedException {
    JobConf view = JobRewrite.userView(job);
    if (view.getUseNewReducer()) {
      TaskAttemptContext context = new TaskAttemptContextImpl(view, attempt);
      OutputCommitter committer = JobRewrite.newOutputFormat(job).getOutputCommitter(context);
      return committer.getClass() == FileOutputCommitter.class
          ? Optional.ofNullable(((FileOutputCommitter) committer).getWorkPath())
          : Optional.empty();
    }
    if (view.getOutputCommitter().getClass()
        != org.apache.hadoop.mapred.FileOutputCommitter.class) {
      return Optional.empty();
    }
    Path output = org.apache.hadoop.mapred.FileOutputFormat.getOutputPath(view);
    if (output == null) {
      return Optional.empty();
    }
    org.apache.hadoop.mapred.FileOutputCommitter committer =
        new org.apache.hadoop.mapred.FileOutputCommitter();
    return Optional.of(
        committer.getTaskAttemptPath(
            new org.apache.hadoop.mapred.TaskAttemptContextImpl(
                view, org.apache.hadoop.mapred.TaskAttemptID.downgrade(attempt))));
  }

  /**
   * Describes what the attempt has written.
   *
   * @param pack where to keep copies; null to keep none
   * @param progress told as long as files are read
   */
  List<OutputFile> describe(MapPack pack, Progressable progress) throws IOException {
    List<OutputFile> files = new ArrayList<>();
    for (FileStatus status : list()) {
      Path path = status.getPath();
      long length = status.getLen();
      OutputFile file =
          new OutputFile(name(path), length, OutputChecksum.of(fs, path, progress), null);
      if (pack != null) {
        file =
            new OutputFile(
                file.name(),
                length,
                file.checksum(),
                pack.store(new Run.InFile(null, fs, path, 0, length, length)).ref());
      }
      files.add(file);
    }
    return files;
  }

  /** Bytes written by the attempt. */
  long length() throws IOException {
    return list().stream().mapToLong(FileStatus::getLen).sum();
  }

  private List<FileStatus> list() throws IOException {
    List<FileStatus> files = new ArrayList<>();
    if (fs.exists(workDir)) {
      var iterator = fs.listFiles(workDir, true);
      while (iterator.hasNext()) {
        FileStatus status = iterator.next();
        if (!name(status.getPath()).startsWith(ASIDE)) {
          files.add(status);
        }
      }
    }
    files.sort(Comparator.comparing(FileStatus::getPath));
    return files;
  }

  private String name(Path path) {
    String base = fs.makeQualified(workDir).toUri().getPath();
    return path.toUri().getPath().substring(base.length() + 1);
  }

  /**
   * Copies the output of an earlier run aside, checking every byte. The earlier output is asked for
   * only on file systems that this job depends on as it is: where another one is gone, each file
   * would be waited for for minutes.
   *
   * @param previousDir the earlier job's output directory; empty if it is not known
   * @param store the memo store's file system, for kept copies
   * @param progress told as long as files are read
   * @return whether all of it was intact; if not, nothing is left behind
   */
  public boolean fetch(
      List<OutputFile> files,
      String previousDir,
      FileSystem store,
      Path lineageDir,
      JobConf job,
      Progressable progress)
      throws IOException {
    Path aside = new Path(workDir, ASIDE);
    fs.mkdirs(aside);
    boolean askOutput = isReachable(previousDir, store, job);
    for (OutputFile file : files) {
      Path target = new Path(aside, file.name());
      boolean fetched =
          askOutput && fromOutput(file, new Path(previousDir, file.name()), target, job, progress);
      if (!fetched && !fromStore(file, store, lineageDir, target, progress)) {
        LOG.info(
            "The previous output {} in {} is not what the last run wrote, and no copy of it is"
                + " kept: the reduce runs",
            file.name(),
            previousDir);
        fs.delete(aside, true);
        return false;
      }
    }
    return true;
  }

  /** Whether a directory is on the file system of this output, of the store or of the job. */
  private boolean isReachable(String directory, FileSystem store, JobConf job) {
    if (directory.isEmpty()) {
      return false;
    }
    URI uri = new Path(directory).toUri();
    return uri.getScheme() == null
        || Stream.of(fs.getUri(), store.getUri(), FileSystem.getDefaultUri(job))
            .anyMatch(known -> isSame(uri, known));
  }

  /** Whether two URIs are of one file system; a port that is not given may be any. */
  static boolean isSame(URI one, URI other) {
    if (!one.getScheme().equalsIgnoreCase(other.getScheme())) {
      return false;
    }
    if (one.getHost() == null || other.getHost() == null) {
      return Objects.equals(one.getAuthority(), other.getAuthority());
    }
    return one.getHost().equalsIgnoreCase(other.getHost())
        && (one.getPort() == other.getPort() || one.getPort() < 0 || other.getPort() < 0);
  }

  private boolean fromOutput(
      OutputFile file, Path source, Path target, JobConf job, Progressable progress) {
    try {
      FileSystem from = source.getFileSystem(job);
      boolean sha = file.checksum().startsWith("SHA-256:");
      if (!sha && !OutputChecksum.matches(from, source, file, progress)) {
        return false;
      }
      if (sha && from.getFileStatus(source).getLen() != file.length()) {
        return false;
      }
      MessageDigest digest = org.freshet.slider.Digest.newSha256();
      try (InputStream in = new DigestInputStream(from.open(source), digest);
          OutputStream out = fs.create(target, true)) {
        copy(in, out, progress);
      }
      return fs.getFileStatus(target).getLen() == file.length()
          && (!sha
              || file.checksum()
                  .equals("SHA-256:" + org.freshet.slider.Digest.finish(digest).hex()));
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} can't be copied: {}", source, e.toString());
      return false;
    }
  }

  private boolean fromStore(
      OutputFile file, FileSystem store, Path lineageDir, Path target, Progressable progress) {
    if (file.kept() == null) {
      return false;
    }
    try (InputStream in = RunInput.open(store, lineageDir, file.kept());
        OutputStream out = fs.create(target, true)) {
      copy(in, out, progress);
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} can't be taken from the store: {}", file.name(), e.toString());
      return false;
    }
  }

  private static void copy(InputStream in, OutputStream out, Progressable progress)
      throws IOException {
    byte[] buffer = new byte[128 << 10];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      out.write(buffer, 0, n);
      progress.progress();
    }
  }

  /** Puts what was fetched in the place of what the attempt has written. */
  public void replace() throws IOException {
    Path aside = new Path(workDir, ASIDE);
    for (FileStatus status : fs.listStatus(workDir)) {
      if (!status.getPath().getName().equals(ASIDE)) {
        fs.delete(status.getPath(), true);
      }
    }
    for (FileStatus status : fs.listStatus(aside)) {
      Path target = new Path(workDir, status.getPath().getName());
      if (!fs.rename(status.getPath(), target)) {
        throw new IOException("can't rename " + status.getPath() + " to " + target);
      }
    }
    fs.delete(aside, true);
  }
}
