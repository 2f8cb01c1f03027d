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
package org.freshet.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.it.cluster.MiniHadoop;
import org.freshet.it.cluster.MiniHadoopExtension;
import org.freshet.it.harness.JobOutcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Input that somebody writes while a job reads it: what is flushed can be read, but neither the
 * file's length nor its time say so.
 */
@Tag("faults")
@ExtendWith(MiniHadoopExtension.class)
class OpenFileIT {
  private final FragileJob job;

  OpenFileIT(MiniHadoop hadoop) throws Exception {
    Path root = hadoop.fresh("open-file");
    job = new FragileJob(root, hadoop.stockLocal(), hadoop.freshet(new Path(root, "store")));
  }

  @Test
  void whatIsFlushedMeanwhileIsNotKeptUnderWhatWasPlanned() throws Exception {
    FileSystem fs = job.sides().fileSystem();
    Path open = new Path(job.sides().input(), "a-log");
    try (FSDataOutputStream out = fs.create(open)) {
      job.plan("map.setup", "block");
      CompletableFuture<JobOutcome> run =
          CompletableFuture.supplyAsync(() -> job.sides().runFreshet());
      try {
        job.awaitFault("map.setup");
        out.write("words that came later\n".getBytes(UTF_8));
        out.hflush();
      } finally {
        job.release();
      }
      run.get(4, TimeUnit.MINUTES);
    }
    job.planNothing();

    fs.delete(open, false);
    fs.create(new Path(job.sides().input(), "empty")).close();
    job.sides().assertEqualToStock();
  }
}
