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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.freshet.memo.Manifest.RunEntry;

/**
 * Random histories of a lineage against a model that says by definition what must stay: no order of
 * steps, no files, only sets. Time is simulated in hours by setting modification times.
 */
class CollectorModelTest {

  private static final class ModelRun {
    long changedHour;
    boolean published;
    int bytes;
  }

  private record ModelManifest(
      String name, String runId, List<RunEntry> runs, long hour, long bytes) {}

  private record ModelLease(Set<String> runs, long expiresHour) {}

  private static final class History {
    private final TempStore temp;
    private final LineageStore lineage;
    private final Random random;
    private final Instant start = Instant.now();
    private final Map<String, ModelRun> runs = new HashMap<>();
    private final List<ModelManifest> manifests = new ArrayList<>();
    private final Set<String> damaged = new HashSet<>();
    private final Map<String, ModelLease> leases = new HashMap<>();
    private long hour;
    private int nextRun;

    History(TempStore temp, Random random) throws IOException {
      this.temp = temp;
      this.lineage = temp.lineage(1);
      this.random = random;
    }

    /** Hours begin on the half, so that the milliseconds a test takes never decide. */
    private Instant time() {
      return start.plus(Duration.ofHours(hour)).plus(Duration.ofMinutes(30));
    }

    private void setTime(Path path) throws IOException {
      temp.fs().setTimes(path, start.plus(Duration.ofHours(hour)).toEpochMilli(), -1);
    }

    private String someRun() {
      return "r" + random.nextInt(nextRun + 1);
    }

    private Set<String> someRuns() {
      Set<String> some = new TreeSet<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        some.add(someRun());
      }
      return some;
    }

    void step() throws IOException {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> write();
        case 3, 4, 5 -> publish();
        case 6 -> lease();
        case 7 -> {
          String holder = someRun();
          lineage.release(holder);
          leases.remove(holder);
        }
        case 8 -> damage();
        case 9 -> hour += random.nextInt(20);
        default -> collect();
      }
    }

    private void write() throws IOException {
      String runId = "r" + ++nextRun;
      ModelRun run = new ModelRun();
      run.changedHour = hour;
      run.bytes = random.nextInt(2_000);
      temp.put(new Path(lineage.runDir(runId), "m.pack"), new byte[run.bytes]);
      setTime(lineage.runDir(runId));
      runs.put(runId, run);
    }

    private void publish() throws IOException {
      String runId = someRun();
      ModelRun run = runs.get(runId);
      if (run == null || run.published) {
        return;
      }
      List<RunEntry> entries = new ArrayList<>();
      for (String reused : someRuns()) {
        entries.add(new RunEntry(reused, List.copyOf(someRuns())));
      }
      lineage.publish(Manifest.builder(runId).addRuns(entries).build());
      Path path = new Path(lineage.dir(), "manifests/" + lineage.manifestNames().get(0));
      setTime(path);
      setTime(lineage.runDir(runId));
      run.published = true;
      run.changedHour = hour;
      manifests.add(
          0, new ModelManifest(path.getName(), runId, entries, hour, temp.bytes(path).length));
    }

    private void lease() throws IOException {
      String holder = someRun();
      Set<String> used = someRuns();
      long validHours = 1L + random.nextInt(40);
      // Ends a quarter before the hour is over, at which the model takes it for expired.
      Duration untilNow = Duration.between(Instant.now(), time());
      lineage.lease(holder, used, untilNow.plusHours(validHours).minusMinutes(15));
      Set<String> all = new TreeSet<>(used);
      all.add(holder);
      leases.put(holder, new ModelLease(all, hour + validHours));
    }

    private void damage() throws IOException {
      if (!manifests.isEmpty()) {
        ModelManifest m = manifests.get(random.nextInt(manifests.size()));
        if (damaged.add(m.name())) {
          Path path = new Path(lineage.dir(), "manifests/" + m.name());
          FileStatus status = temp.fs().getFileStatus(path);
          temp.flipBit(path, random.nextLong(8 * m.bytes()));
          temp.fs().setTimes(path, status.getModificationTime(), -1);
        }
      }
    }

    private void collect() throws IOException {
      RetentionPolicy policy =
          new RetentionPolicy(
              random.nextInt(4),
              Duration.ofHours(random.nextInt(100)),
              random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(10_000),
              Duration.ofHours(random.nextInt(40)));

      Set<String> runsBefore = Set.copyOf(runs.keySet());
      List<ModelManifest> manifestsBefore = List.copyOf(manifests);
      manifests.retainAll(kept(policy));
      Set<String> needed = reachable(manifests);
      leases.values().stream()
          .filter(l -> l.expiresHour() > hour)
          .forEach(l -> needed.addAll(l.runs()));
      runs.entrySet()
          .removeIf(
              e ->
                  !needed.contains(e.getKey())
                      && (e.getValue().published
                          || hour - e.getValue().changedHour
                              >= policy.graceForUnpublished().toHours()));

      CollectResult result = lineage.collect(policy, time());

      Set<String> actual = new TreeSet<>();
      lineage.runDirectories().forEach(s -> actual.add(s.getPath().getName()));
      assertThat(actual).as("runs under %s", policy).isEqualTo(new TreeSet<>(runs.keySet()));
      assertThat(lineage.manifestNames())
          .as("manifests under %s", policy)
          .containsExactlyElementsOf(manifests.stream().map(ModelManifest::name).toList());
      Set<String> gone = new HashSet<>(runsBefore);
      gone.removeAll(runs.keySet());
      assertThat(result.runsDeleted()).containsExactlyInAnyOrderElementsOf(gone);
      assertThat(result.manifestsDropped()).hasSize(manifestsBefore.size() - manifests.size());
    }

    /** The newest few that are whole, young enough, and together small enough. */
    private List<ModelManifest> kept(RetentionPolicy policy) {
      List<ModelManifest> kept = new ArrayList<>();
      for (ModelManifest m : manifests) {
        if (kept.size() < policy.manifests()
            && !damaged.contains(m.name())
            && hour - m.hour() < policy.maxAge().toHours()) {
          kept.add(m);
        }
      }
      while (bytes(kept) > policy.maxBytes()) {
        kept.remove(kept.size() - 1);
      }
      return kept;
    }

    private long bytes(List<ModelManifest> kept) {
      long bytes = kept.stream().mapToLong(ModelManifest::bytes).sum();
      for (String runId : reachable(kept)) {
        bytes += runs.containsKey(runId) ? runs.get(runId).bytes : 0;
      }
      return bytes;
    }

    private static Set<String> reachable(List<ModelManifest> from) {
      Set<String> reached = new HashSet<>();
      Deque<String> open = new ArrayDeque<>();
      for (ModelManifest m : from) {
        open.add(m.runId());
        m.runs().forEach(r -> open.add(r.runId()));
      }
      while (!open.isEmpty()) {
        String runId = open.pop();
        if (reached.add(runId)) {
          for (ModelManifest m : from) {
            m.runs().stream()
                .filter(r -> r.runId().equals(runId))
                .forEach(r -> open.addAll(r.pins()));
          }
        }
      }
      return reached;
    }
  }

  @Property(tries = 60)
  void exactlyWhatIsReachableLeasedOrYoungStays(@ForAll long seed) throws IOException {
    try (TempStore temp = new TempStore()) {
      History history = new History(temp, new Random(seed));
      for (int i = 0; i < 60; i++) {
        history.step();
      }
      history.collect();
    }
  }
}
