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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.freshet.it.harness.JobJar;
import org.freshet.it.harness.WorkDirectory;
import org.freshet.it.jobs.MappedFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests would pass without the archive, only later. */
@Tag("cluster")
@ExtendWith(MiniHadoopExtension.class)
class ContainerJvmIT {

  @Test
  @EnabledOnOs(OS.LINUX)
  void tasksMapTheArchive(MiniHadoop hadoop) throws Exception {
    java.nio.file.Path archive = hadoop.containers().archive();
    awaitFile(archive);
    Path root = hadoop.fresh("container-jvm");
    FileSystem fs = hadoop.hdfs();
    Path input = new Path(root, "input");
    try (OutputStream out = fs.create(input)) {
      out.write("one record\n".getBytes(StandardCharsets.UTF_8));
    }
    Job job = Job.getInstance(hadoop.stock());
    job.setJar(
        JobJar.ofTestJobs(WorkDirectory.fresh("container-jvm").resolve("jobs.jar")).toString());
    job.setMapperClass(MappedFiles.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    FileInputFormat.addInputPath(job, input);
    Path output = new Path(root, "output");
    FileOutputFormat.setOutputPath(job, output);

    assertThat(job.waitForCompletion(false)).isTrue();

    try (var in = fs.open(new Path(output, "part-m-00000"))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .contains(archive.toString());
    }
  }

  /** It may be another JVM that makes it. */
  private static void awaitFile(java.nio.file.Path file) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(4);
    while (!Files.exists(file)) {
      assertThat(System.nanoTime()).as("%s did not come in time", file).isLessThan(end);
      Thread.sleep(50);
    }
  }
}
