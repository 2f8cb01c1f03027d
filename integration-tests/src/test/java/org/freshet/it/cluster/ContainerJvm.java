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
package org.freshet.it.cluster;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.freshet.it.harness.WorkDirectory;

/**
 * What the JVMs of a cluster's containers are started with. They live for seconds, much of which
 * goes into loading Hadoop's classes: those that the application master of a first job has loaded
 * are put into an archive that later containers map (class data sharing of applications, JEP 350).
 * Tasks load few others. Containers work without the archive, too, and do until it is there.
 *
 * <p>Not thread-safe.
 */
final class ContainerJvm {
  private static final String SMALL = "-Xmx200m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  private final Path directory;
  private final Path classPath;
  private final Path archive;

  private ContainerJvm(Path directory) {
    this.directory = directory;
    classPath = directory.resolve("class-path.jar");
    archive = directory.resolve("classes");
  }

  /** JVMs with the class path of this one, but without Freshet's jar and without the tests. */
  static ContainerJvm withoutFreshet() throws IOException {
    String own =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<Path> jars =
        Stream.of(own.split(File.pathSeparator))
            .filter(entry -> entry.endsWith(".jar"))
            .filter(entry -> !new File(entry).getName().startsWith("freshet-"))
            .map(entry -> Path.of(entry).toAbsolutePath())
            .toList();
    // An archive holds for the JVM and the files that it was made with.
    List<Object> facts = new ArrayList<>(List.of(Runtime.version().toString(), jars));
    for (Path jar : jars) {
      facts.add(Files.getLastModifiedTime(jar).toMillis());
    }
    // The tests run in several JVMs, one of which makes the archive for all of them.
    ContainerJvm jvm =
        new ContainerJvm(
            WorkDirectory.shared("containers-" + Integer.toHexString(facts.hashCode())));
    if (!Files.exists(jvm.classPath)) {
      Path written = Files.createTempFile(jvm.directory, "class-path", ".jar");
      writeClassPath(jars, written);
      try {
        Files.createLink(jvm.classPath, written);
      } catch (FileAlreadyExistsException e) {
        // Another JVM was first.
      }
      Files.delete(written);
    }
    return jvm;
  }

  /** Writes a jar with nothing but a class path: it keeps command lines short. */
  private static void writeClassPath(List<Path> jars, Path written) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(
        Attributes.Name.CLASS_PATH,
        jars.stream()
            // Archives know no others than relative paths.
            .map(jar -> written.getParent().relativize(jar).toString())
            .collect(Collectors.joining(" ")));
    try (OutputStream out = Files.newOutputStream(written)) {
      new JarOutputStream(out, manifest).close();
    }
  }

  /** The class path: one jar. */
  Path classPath() {
    return classPath;
  }

  /** The archive, whether it is there or not. */
  Path archive() {
    return archive;
  }

  /** Has a job's containers started in this way. */
  void configure(JobConf conf) {
    String options =
        Files.exists(archive) ? withClassPath("-XX:SharedArchiveFile=" + archive) : SMALL;
    conf.set(MRJobConfig.MR_AM_COMMAND_OPTS, options);
    conf.set(MRJobConfig.MAP_JAVA_OPTS, options);
    conf.set(MRJobConfig.REDUCE_JAVA_OPTS, options);
  }

  /**
   * Makes the archive, unless it is there or another JVM is about to make it. Where none can be
   * made, there is none.
   *
   * @param conf of stock jobs
   */
  void shareClasses(JobConf conf) throws IOException, InterruptedException {
    try (FileChannel lock =
            FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = lock.tryLock()) {
      if (held != null && !Files.exists(archive)) {
        makeArchive(conf);
      }
    }
  }

  private void makeArchive(JobConf conf) throws IOException, InterruptedException {
    Path made = directory.resolve("made");
    Files.deleteIfExists(made);
    JobConf first = new JobConf(conf);
    String making = "-XX:ArchiveClassesAtExit=" + made;
    first.set(MRJobConfig.MR_AM_COMMAND_OPTS, withClassPath(making));
    runSmallJob(first);
    Optional<ProcessHandle> master = MiniHadoop.containerProcess(making);
    if (master.isPresent()) {
      try {
        master.get().onExit().get(2, TimeUnit.MINUTES);
      } catch (ExecutionException | TimeoutException e) {
        System.err.println("The application master still writes " + made + ", too long: " + e);
        return;
      }
    }
    if (Files.exists(made)) {
      Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /**
   * An archive holds for class paths that begin with its own, but that of a container begins with
   * the container's directory.
   */
  private String withClassPath(String option) {
    return SMALL + " " + option + " -cp " + classPath + ":$CLASSPATH";
  }

  private static void runSmallJob(JobConf conf) throws IOException, InterruptedException {
    org.apache.hadoop.fs.Path place = new org.apache.hadoop.fs.Path("/tmp/small-job");
    FileSystem files = place.getFileSystem(conf);
    org.apache.hadoop.fs.Path input = new org.apache.hadoop.fs.Path(place, "input");
    try (OutputStream out = files.create(input)) {
      out.write("a few words\n".getBytes(StandardCharsets.UTF_8));
    }
    Job job = Job.getInstance(conf, "small");
    job.setMapperClass(TokenCounterMapper.class);
    job.setReducerClass(IntSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, input);
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(place, "output"));
    try {
      if (!job.waitForCompletion(false)) {
        throw new IOException("the first job failed: " + job.getStatus().getFailureInfo());
      }
    } catch (ClassNotFoundException e) {
      throw new IOException("a class of Hadoop's is missing", e);
    }
    files.delete(place, true);
  }
}
