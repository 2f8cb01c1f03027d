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
package org.freshet.memo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.Path;
import org.freshet.memo.Manifest.RunEntry;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs that plan, reuse, publish and fail beside collectors that keep as little as they may. */
class ConcurrentJobsTest {
  private static final int JOB_THREADS = 3;
  private static final int JOBS_PER_THREAD = 40;
  private static final int COLLECTORS = 2;

  private final TempStore temp = new TempStore();

  @AfterEach
  void close() {
    temp.close();
  }

  @Test
  void noJobEverMissesARunThatItLeased() throws Exception {
    LineageStore lineage = temp.lineage(1);
    RetentionPolicy greedy =
        RetentionPolicy.DEFAULT.withManifests(1).withGraceForUnpublished(Duration.ZERO);
    ExecutorService executor = Executors.newFixedThreadPool(JOB_THREADS + COLLECTORS);
    AtomicBoolean jobsDone = new AtomicBoolean();
    try {
      List<Future<Integer>> jobs = new ArrayList<>();
      for (int t = 0; t < JOB_THREADS; t++) {
        long seed = 100L + t;
        jobs.add(executor.submit(() -> runJobs(lineage, new Random(seed))));
      }
      List<Future<Integer>> collectors = new ArrayList<>();
      for (int t = 0; t < COLLECTORS; t++) {
        collectors.add(
            executor.submit(
                () -> {
                  int deleted = 0;
                  while (!jobsDone.get()) {
                    deleted += lineage.collect(greedy, Instant.now()).runsDeleted().size();
                  }
                  return deleted;
                }));
      }
      int reused = 0;
      for (Future<Integer> job : jobs) {
        reused += job.get(120, TimeUnit.SECONDS);
      }
      jobsDone.set(true);
      int deleted = 0;
      for (Future<Integer> collector : collectors) {
        deleted += collector.get(30, TimeUnit.SECONDS);
      }
      assertThat(reused).as("jobs did reuse").isPositive();
      assertThat(deleted).as("collectors did delete").isPositive();
      lineage.collect(greedy, Instant.now().plusSeconds(2));
      assertThat(lineage.manifestNames()).hasSize(1);
      assertThat(readEverything(lineage, lineage.latest().orElseThrow())).isNotEmpty();
    } finally {
      jobsDone.set(true);
      executor.shutdownNow();
    }
  }

  private static int runJobs(LineageStore lineage, Random random) throws IOException {
    int reused = 0;
    for (int i = 0; i < JOBS_PER_THREAD; i++) {
      String runId = lineage.newRunId();
      Optional<Manifest> last = lineage.leaseLatest(runId, Duration.ofHours(1));
      List<PartitionFile.Entry> entries = new ArrayList<>();
      if (last.isPresent()) {
        entries.addAll(readEverything(lineage, last.get()));
        while (entries.size() > 5) {
          entries.remove(random.nextInt(entries.size()));
        }
        reused += entries.size();
      }
      if (random.nextInt(10) == 0) {
        TempStore.writePack(lineage, "runs/" + runId + "/m.pack", random, 1, 50);
        lineage.discard(runId);
        continue;
      }
      TreeSet<String> pins = new TreeSet<>();
      entries.forEach(e -> pins.add(new Path(e.run().pack()).getParent().getName()));
      for (RunRef ref : TempStore.writePack(lineage, "runs/" + runId + "/m.pack", random, 2, 200)) {
        entries.add(
            new PartitionFile.Entry(Digest.sha256(runId.getBytes(StandardCharsets.UTF_8)), ref));
      }
      String partition = "runs/" + runId + "/p-0.idx";
      PartitionFile.write(
          lineage.fileSystem(), new Path(lineage.dir(), partition), entries, new byte[0]);
      lineage.publish(
          Manifest.builder(runId)
              .addRun(new RunEntry(runId, List.copyOf(pins)))
              .addPartition(partition)
              .build());
      lineage.release(runId);
    }
    return reused;
  }

  private static List<PartitionFile.Entry> readEverything(LineageStore lineage, Manifest manifest)
      throws IOException {
    List<PartitionFile.Entry> entries = new ArrayList<>();
    try (PartitionFile file =
        PartitionFile.open(
            lineage.fileSystem(), new Path(lineage.dir(), manifest.partitions().get(0)))) {
      file.entries().forEachRemaining(entries::add);
    }
    for (PartitionFile.Entry entry : entries) {
      RunInput.verify(lineage.fileSystem(), lineage.dir(), entry.run());
    }
    return entries;
  }
}
