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
package org.freshet.cli.bench.stability;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * A new version of records: runs of old ones, and new ones between them. An immutable value.
 *
 * @param runs in the order of the new version
 * @param touched numbers of old records that were changed or removed, or in front of which
 *     something else now is
 */
record Edit(List<Run> runs, TreeSet<Integer> touched) {
  /** What happens to records. */
  enum Kind {
    OVERWRITE("records overwritten"),
    INSERT("records inserted"),
    DELETE("records deleted"),
    MOVE("runs of records moved"),
    PERMUTE("runs of records permuted");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    /** For people. */
    String title() {
      return title;
    }
  }

  /**
   * Old records {@code from} to {@code to - 1}; or a new one.
   *
   * @param fresh the new record; null for old ones
   */
  record Run(int from, int to, byte[] fresh) {}

  /**
   * Edits records anywhere.
   *
   * @param count of records overwritten, inserted or deleted, of runs moved, or of runs of which
   *     the old version is made and the new one in another order
   */
  static Edit of(Kind kind, int records, int count, SplittableRandom random) {
    TreeSet<Integer> places = new TreeSet<>();
    while (places.size() < Math.min(count, records - 1)) {
      places.add(1 + random.nextInt(records - 1));
    }
    return switch (kind) {
      case OVERWRITE, INSERT, DELETE -> ofRecords(kind, records, places, random);
      case MOVE -> moves(records, places, random);
      case PERMUTE -> permutation(records, places, random);
    };
  }

  private static Edit ofRecords(
      Kind kind, int records, TreeSet<Integer> places, SplittableRandom random) {
    List<Run> runs = new ArrayList<>();
    int from = 0;
    for (int place : places) {
      runs.add(new Run(from, place, null));
      if (kind != Kind.DELETE) {
        runs.add(new Run(0, 0, fresh(random)));
      }
      from = kind == Kind.INSERT ? place : place + 1;
    }
    runs.add(new Run(from, records, null));
    return new Edit(runs, places);
  }

  private static byte[] fresh(SplittableRandom random) {
    return ("edited " + Long.toString(random.nextLong(), 36) + "\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Each run of about a hundredth of the records goes somewhere else. */
  private static Edit moves(int records, TreeSet<Integer> places, SplittableRandom random) {
    List<Run> runs = new ArrayList<>(List.of(new Run(0, records, null)));
    TreeSet<Integer> touched = new TreeSet<>();
    int length = Math.max(1, records / 100);
    for (int place : places) {
      int to = Math.min(records, place + length);
      List<Run> taken = cutOut(runs, place, to);
      int target = random.nextInt(records);
      insert(runs, target, taken);
      touched.add(place);
      touched.add(target);
      if (to < records) {
        touched.add(to);
      }
    }
    return new Edit(runs, touched);
  }

  /** Takes the old records {@code from} to {@code to - 1} out, wherever they are now. */
  private static List<Run> cutOut(List<Run> runs, int from, int to) {
    List<Run> taken = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      Run run = runs.get(i);
      int begin = Math.max(run.from(), from);
      int end = Math.min(run.to(), to);
      if (begin < end) {
        taken.add(new Run(begin, end, null));
        runs.remove(i);
        if (end < run.to()) {
          runs.add(i, new Run(end, run.to(), null));
        }
        if (run.from() < begin) {
          runs.add(i, new Run(run.from(), begin, null));
          i++;
        }
        if (end == run.to()) {
          i--;
        }
      }
    }
    return taken;
  }

  /** Puts runs in front of an old record, or at the end if that is among them. */
  private static void insert(List<Run> runs, int before, List<Run> taken) {
    for (int i = 0; i < runs.size(); i++) {
      Run run = runs.get(i);
      if (run.from() <= before && before < run.to()) {
        runs.remove(i);
        if (run.from() < before) {
          runs.add(i++, new Run(run.from(), before, null));
        }
        runs.addAll(i, taken);
        runs.add(i + taken.size(), new Run(before, run.to(), null));
        return;
      }
    }
    runs.addAll(taken);
  }

  private static Edit permutation(int records, TreeSet<Integer> places, SplittableRandom random) {
    List<Run> runs = new ArrayList<>();
    int from = 0;
    for (int place : places) {
      runs.add(new Run(from, place, null));
      from = place;
    }
    runs.add(new Run(from, records, null));
    for (int i = runs.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      Run run = runs.get(i);
      runs.set(i, runs.get(other));
      runs.set(other, run);
    }
    return new Edit(runs, places);
  }
}
