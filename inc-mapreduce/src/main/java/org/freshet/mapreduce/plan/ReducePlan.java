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
package org.freshet.mapreduce.plan;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.mapreduce.plan.Delta.NodePlan;
import org.freshet.memo.CounterSet;
import org.freshet.slider.Digest;

/**
 * What the reduces need to know of a plan: as large as the change and its paths to the root, not as
 * the input. Immutable.
 *
 * @param nodes nodes to combine, children before parents
 * @param rootChildren the runs that Reduce merges
 * @param previousPartitions index files of the previous run, one for each partition; empty if none
 * @param previousOutput output directory of the previous run; empty if it is not known
 * @param reuseOutputs whether a reduce whose input is that of the previous run may be skipped
 * @param restored counters of maps that did not run
 * @param counted Freshet's own counters, known to the client
 * @param liveRuns job runs whose packs this run's manifest will keep
 * @param repeats how often beyond once a fresh leaf occurs in the input; absent for once
 */
public record ReducePlan(
    List<Node> nodes,
    List<Digest> rootChildren,
    List<String> previousPartitions,
    String previousOutput,
    boolean reuseOutputs,
    CounterSet restored,
    CounterSet counted,
    Map<Digest, Integer> repeats,
    Set<String> liveRuns) {

  /** A combine of runs that are named by their ids. */
  public record Node(Digest id, List<Digest> children) {}

  static List<Node> nodes(List<NodePlan> plans) {
    return plans.stream().map(plan -> new Node(plan.id(), plan.children())).toList();
  }

  /** Writes the plan as a new file. */
  void write(FileSystem fs, Path file) throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(fs.create(file, true)))) {
      out.writeInt(nodes.size());
      for (Node node : nodes) {
        node.id().write(out);
        writeDigests(out, node.children());
      }
      writeDigests(out, rootChildren);
      out.writeInt(previousPartitions.size());
      for (String name : previousPartitions) {
        out.writeUTF(name);
      }
      out.writeUTF(previousOutput);
      out.writeBoolean(reuseOutputs);
      restored.write(out);
      counted.write(out);
      out.writeInt(repeats.size());
      for (Map.Entry<Digest, Integer> repeat : repeats.entrySet()) {
        repeat.getKey().write(out);
        out.writeInt(repeat.getValue());
      }
      out.writeInt(liveRuns.size());
      for (String run : liveRuns) {
        out.writeUTF(run);
      }
    }
  }

  /** Reads a plan. */
  public static ReducePlan read(FileSystem fs, Path file) throws IOException {
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(fs.open(file)))) {
      int nodeCount = in.readInt();
      List<Node> nodes = new ArrayList<>(nodeCount);
      for (int i = 0; i < nodeCount; i++) {
        nodes.add(new Node(Digest.read(in), readDigests(in)));
      }
      List<Digest> rootChildren = readDigests(in);
      int partitions = in.readInt();
      List<String> names = new ArrayList<>(partitions);
      for (int i = 0; i < partitions; i++) {
        names.add(in.readUTF());
      }
      String previousOutput = in.readUTF();
      boolean reuseOutputs = in.readBoolean();
      CounterSet restored = CounterSet.read(in);
      CounterSet counted = CounterSet.read(in);
      int repeatCount = in.readInt();
      Map<Digest, Integer> repeats = new LinkedHashMap<>();
      for (int i = 0; i < repeatCount; i++) {
        repeats.put(Digest.read(in), in.readInt());
      }
      int liveCount = in.readInt();
      Set<String> liveRuns = new LinkedHashSet<>();
      for (int i = 0; i < liveCount; i++) {
        liveRuns.add(in.readUTF());
      }
      return new ReducePlan(
          nodes,
          rootChildren,
          names,
          previousOutput,
          reuseOutputs,
          restored,
          counted,
          repeats,
          liveRuns);
    }
  }

  private static void writeDigests(DataOutputStream out, List<Digest> digests) throws IOException {
    out.writeInt(digests.size());
    for (Digest digest : digests) {
      digest.write(out);
    }
  }

  private static List<Digest> readDigests(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<Digest> digests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      digests.add(Digest.read(in));
    }
    return digests;
  }
}
