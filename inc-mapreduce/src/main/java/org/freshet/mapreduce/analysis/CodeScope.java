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
package org.freshet.mapreduce.analysis;

import java.net.URL;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Divides classes into those whose code is read and those taken at their word.
 *
 * <p>Read: the job's own classes, everything they bring along, and the parts of Hadoop that act as
 * user code (stock mappers, reducers and partitioners, the examples). Not read: the JDK, the rest
 * of Hadoop, and a few well-known libraries whose results depend on their arguments alone; what
 * they can do beyond that is listed in {@link LibraryEffects}. All names are internal ones.
 */
final class CodeScope {

  /** Hadoop proper; what else is in its name space (streaming, tools, examples) is read. */
  private static final List<String> HADOOP_ITSELF =
      List.of(
          "org/apache/hadoop/classification/",
          "org/apache/hadoop/conf/",
          "org/apache/hadoop/crypto/",
          "org/apache/hadoop/filecache/",
          "org/apache/hadoop/fs/",
          "org/apache/hadoop/hbase/",
          "org/apache/hadoop/hdfs/",
          "org/apache/hadoop/hive/",
          "org/apache/hadoop/http/",
          "org/apache/hadoop/io/",
          "org/apache/hadoop/ipc/",
          "org/apache/hadoop/mapred/",
          "org/apache/hadoop/mapreduce/",
          "org/apache/hadoop/metrics2/",
          "org/apache/hadoop/net/",
          "org/apache/hadoop/security/",
          "org/apache/hadoop/thirdparty/",
          "org/apache/hadoop/util/",
          "org/apache/hadoop/yarn/");

  private static final List<String> STOCK_USER_CODE =
      List.of(
          "org/apache/hadoop/mapred/lib/",
          "org/apache/hadoop/mapred/pipes/",
          "org/apache/hadoop/mapreduce/lib/aggregate/",
          "org/apache/hadoop/mapreduce/lib/chain/",
          "org/apache/hadoop/mapreduce/lib/fieldsel/",
          "org/apache/hadoop/mapreduce/lib/map/",
          "org/apache/hadoop/mapreduce/lib/partition/",
          "org/apache/hadoop/mapreduce/lib/reduce/");

  /** Classes whose jars are Hadoop's own. */
  private static final List<String> HADOOP_ANCHORS =
      List.of("org/apache/hadoop/conf/Configuration", "org/apache/hadoop/mapreduce/Mapper");

  private static final Set<String> STOCK_BASE_CLASSES =
      Set.of(
          "org/apache/hadoop/mapred/MapReduceBase",
          "org/apache/hadoop/mapreduce/Mapper",
          "org/apache/hadoop/mapreduce/Reducer",
          "org/apache/hadoop/mapreduce/Partitioner");

  private static final List<String> TRUSTED_LIBRARIES =
      List.of(
          "java/",
          "jdk/",
          // Logging goes nowhere near a task's output.
          "ch/qos/logback/",
          "ch/qos/reload4j/",
          "org/apache/commons/logging/",
          "org/apache/log4j/",
          "org/apache/logging/log4j/",
          "org/slf4j/",
          // Value and parsing libraries, and the run-time libraries of other JVM languages.
          "com/fasterxml/jackson/",
          "com/google/common/base/",
          "com/google/common/collect/",
          "com/google/common/hash/",
          "com/google/common/math/",
          "com/google/common/primitives/",
          "com/google/gson/",
          "com/google/protobuf/",
          "kotlin/",
          "org/apache/commons/codec/",
          "org/apache/commons/csv/",
          "org/apache/commons/lang/",
          "org/apache/commons/lang3/",
          "scala/");

  /** Packages of the JDK that others use as well: Java EE, Jersey, JNA. */
  private static final List<String> SHARED_WITH_THE_JDK = List.of("javax/", "sun/", "com/sun/");

  /** Stock mappers that run code which only the configuration names. */
  private static final Set<String> DELEGATING =
      Set.of(
          "org/apache/hadoop/mapred/lib/ChainMapper",
          "org/apache/hadoop/mapred/lib/ChainReducer",
          "org/apache/hadoop/mapred/lib/DelegatingMapper",
          "org/apache/hadoop/mapred/lib/MultithreadedMapRunner",
          "org/apache/hadoop/mapred/lib/aggregate/ValueAggregatorCombiner",
          "org/apache/hadoop/mapred/lib/aggregate/ValueAggregatorMapper",
          "org/apache/hadoop/mapred/lib/aggregate/ValueAggregatorReducer",
          "org/apache/hadoop/mapreduce/lib/aggregate/ValueAggregatorCombiner",
          "org/apache/hadoop/mapreduce/lib/aggregate/ValueAggregatorMapper",
          "org/apache/hadoop/mapreduce/lib/aggregate/ValueAggregatorReducer",
          "org/apache/hadoop/mapreduce/lib/chain/ChainMapper",
          "org/apache/hadoop/mapreduce/lib/chain/ChainReducer",
          "org/apache/hadoop/mapreduce/lib/input/DelegatingMapper",
          "org/apache/hadoop/mapreduce/lib/map/MultithreadedMapper");

  private final ClassLoader loader;
  private final Set<String> namedByJob = new HashSet<>();
  private final Set<String> jobLocations = new HashSet<>();
  private final Map<String, Boolean> shippedWithJob = new HashMap<>();
  private final Map<String, Boolean> ofTheJdk = new HashMap<>();

  /**
   * Makes the scope of one analysis.
   *
   * @param loader tells where classes come from
   */
  CodeScope(ClassLoader loader) {
    this.loader = loader;
  }

  /** Adds a class that the job names in a role, whatever its package. */
  void readAlso(String name) {
    namedByJob.add(name);
    String location = location(name);
    boolean hadoopsOwn =
        location.isEmpty()
            || HADOOP_ANCHORS.stream().map(this::location).anyMatch(location::equals);
    if (!hadoopsOwn) {
      jobLocations.add(location);
    }
  }

  /** The jar or directory a class is found in, or empty if it is not found. */
  private String location(String name) {
    URL url = loader.getResource(name + ".class");
    if (url == null) {
      return "";
    }
    String text = url.toString();
    return text.substring(0, text.length() - name.length() - ".class".length());
  }

  /** Whether the code of the class is read. */
  boolean isRead(String name) {
    if (name.startsWith("org/apache/hadoop/")) {
      return STOCK_BASE_CLASSES.contains(name)
          || namedByJob.contains(name)
          || hasPrefix(name, STOCK_USER_CODE)
          || !hasPrefix(name, HADOOP_ITSELF)
          || isShippedWithJob(name);
    }
    return !name.startsWith("[")
        && !hasPrefix(name, TRUSTED_LIBRARIES)
        && !(hasPrefix(name, SHARED_WITH_THE_JDK) && isOfTheJdk(name));
  }

  private boolean isOfTheJdk(String name) {
    return ofTheJdk.computeIfAbsent(name, n -> location(n).startsWith("jrt:"));
  }

  /** Jobs put classes of their own into Hadoop's packages, to get at what is package-private. */
  private boolean isShippedWithJob(String name) {
    return shippedWithJob.computeIfAbsent(name, n -> jobLocations.contains(location(n)));
  }

  /** Whether code outside the job may call what the class declares. */
  boolean isCalledFromOutside(String name) {
    return !isRead(name) || hasPrefix(name, HADOOP_ITSELF);
  }

  static boolean isHadoop(String name) {
    return name.startsWith("org/apache/hadoop/");
  }

  /** Stock classes that a job may name and that are known to do nothing but their job. */
  static boolean isKnownHarmless(String name) {
    return name.startsWith("org/apache/hadoop/io/")
        || name.equals("org/apache/hadoop/mapred/MapRunner");
  }

  /** Whether the stock class runs user code that only the configuration names. */
  static boolean isDelegating(String name) {
    return DELEGATING.contains(name);
  }

  private static boolean hasPrefix(String name, List<String> prefixes) {
    for (String prefix : prefixes) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}
