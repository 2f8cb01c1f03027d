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

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.LocalHadoop;
import org.freshet.it.harness.SideBySide;
import org.freshet.it.harness.WorkDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs of one lineage meet: at once, or in turn over different input. */
@Tag("faults")
class ConcurrentRunsIT {
  private static final int RUNS = 3;

  private Path work;
  private JobConf stock;
  private JobConf freshet;

  @BeforeEach
  void makeStore() throws IOException {
    work = WorkDirectory.fresh("concurrent");
    stock = LocalHadoop.stock(work.resolve("tmp-stock"));
    freshet = LocalHadoop.freshet(work.resolve("tmp"), work.resolve("store"), 1 << 10, 3);
  }

  private FragileJob job(String name) throws IOException {
    return new FragileJob(
        new org.apache.hadoop.fs.Path(work.resolve(name).toString()), stock, freshet);
  }

  private void assertAllEqualToStock(FragileJob job) throws Exception {
    SideBySide sides = job.sides();
    SideBySide.StockRun expected = sides.runStock();
    CyclicBarrier start = new CyclicBarrier(RUNS);
    ExecutorService pool = Executors.newFixedThreadPool(RUNS);
    try {
      List<org.apache.hadoop.fs.Path> outputs = new ArrayList<>();
      List<Future<JobOutcome>> running = new ArrayList<>();
      for (int i = 0; i < RUNS; i++) {
        org.apache.hadoop.fs.Path output = sides.freshOutput();
        outputs.add(output);
        running.add(
            pool.submit(
                () -> {
                  start.await(1, TimeUnit.MINUTES);
                  return sides.runFreshet(freshet, output);
                }));
      }
      for (int i = 0; i < RUNS; i++) {
        sides.assertEqual(expected, running.get(i).get(2, TimeUnit.MINUTES), outputs.get(i));
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void runsOfOneLineageAtOnceAreAllRight() throws Exception {
    FragileJob job = job("one");
    for (int round = 0; round < 5; round++) {
      assertAllEqualToStock(job);
      job.editOneLine();
    }
    job.assertRecovers();
  }

  @Test
  void oneProgramOverTwoInputsInTurnIsRight() throws IOException {
    FragileJob here = job("here");
    FragileJob there = job("there");
    there.editOneLine();
    for (int round = 0; round < 3; round++) {
      here.sides().assertEqualToStock();
      there.sides().assertEqualToStock();
      here.editOneLine();
    }
    here.assertRecovers();
    there.assertRecovers();
  }
}
