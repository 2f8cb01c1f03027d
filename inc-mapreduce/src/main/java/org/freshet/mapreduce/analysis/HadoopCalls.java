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

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;
import org.objectweb.asm.Type;

/**
 * Judges calls on Hadoop's own objects: the task's context or reporter, the configuration, and
 * library code that is handed one of them.
 */
final class HadoopCalls {

  private static final String MAPREDUCE = "org/apache/hadoop/mapreduce/";
  private static final String MAPRED = "org/apache/hadoop/mapred/";
  private static final String CONFIGURATION = "org/apache/hadoop/conf/Configuration";

  /** What a context or reporter offers that is the same wherever the records came from. */
  private static final Set<String> PLACELESS =
      Set.of(
          "<init>",
          "getArchiveClassPaths",
          "getArchiveTimestamps",
          "getCacheArchives",
          "getCacheFiles",
          "getCombinerClass",
          "getCombinerKeyGroupingComparator",
          "getConfiguration",
          "getCounter",
          "getCurrentKey",
          "getCurrentValue",
          "getFileClassPaths",
          "getFileTimestamps",
          "getGroupingComparator",
          "getInputFormatClass",
          "getInstance",
          "getJobSetupCleanupNeeded",
          "getLocalCacheArchives",
          "getLocalCacheFiles",
          "getMapOutputKeyClass",
          "getMapOutputValueClass",
          "getMapperClass",
          "getMaxMapAttempts",
          "getMaxReduceAttempts",
          "getNumReduceTasks",
          "getOutputFormatClass",
          "getOutputKeyClass",
          "getOutputValueClass",
          "getPartitionerClass",
          "getProfileEnabled",
          "getReducerClass",
          "getSortComparator",
          "getSymlink",
          "getTaskCleanupNeeded",
          "getValues",
          "incrCounter",
          "nextKey",
          "nextKeyValue",
          "progress",
          "setStatus",
          "write");

  private static final Set<String> OBJECT_METHODS = Set.of("equals", "getClass", "hashCode");

  private static final Set<String> RUN_IDS = Set.of("getTaskAttemptID", "getTaskID", "getJobID");

  private static final Set<String> RUN_PLACES =
      Set.of(
          "getJobName",
          "getNumMapTasks",
          "getUser",
          "getWorkingDirectory",
          "getJar",
          "getSessionId");

  private static final Set<String> LOCAL_PLACES =
      Set.of(
          "getLocalPath",
          "getFile",
          "getLocalDirs",
          "getJobLocalDir",
          "deleteLocalFiles",
          "getPassword");

  /** Configuration methods that look at every property at once. */
  private static final Set<String> WHOLE_CONFIGURATION =
      Set.of(
          "dumpConfiguration",
          "forEach",
          "getAllPropertiesByTag",
          "getAllPropertiesByTags",
          "getValByRegex",
          "iterator",
          "size",
          "spliterator",
          "write",
          "writeXml");

  /** Starts of names of methods that change a configuration, or that of all. */
  private static final List<String> CHANGES_CONFIGURATION =
      List.of("add", "clear", "readFields", "reload", "set", "unset");

  /** Getters whose first parameter, though text, is not the name of a property. */
  private static final Set<String> NOT_PROPERTIES =
      Set.of("getClassByName", "getClassByNameOrNull", "getResource");

  /** Stock code that may be handed a context or configuration: it looks at nothing of a task. */
  private static final List<String> MAY_HOLD_CONFIGURATION =
      List.of(
          "org/apache/hadoop/conf/",
          "org/apache/hadoop/filecache/",
          "org/apache/hadoop/io/",
          "org/apache/hadoop/mapred/Counters",
          "org/apache/hadoop/mapred/JobConf",
          "org/apache/hadoop/mapred/MapRunner",
          "org/apache/hadoop/mapred/SkipBadRecords",
          "org/apache/hadoop/mapreduce/filecache/",
          "org/apache/hadoop/util/ReflectionUtils");

  private final ClassPool pool;
  private final Findings findings;
  private final boolean mapSide;
  private final boolean keyIsPosition;
  private final Predicate<String> inNoLineage;

  HadoopCalls(
      ClassPool pool,
      Findings findings,
      boolean mapSide,
      boolean keyIsPosition,
      Predicate<String> inNoLineage) {
    this.pool = pool;
    this.findings = findings;
    this.mapSide = mapSide;
    this.keyIsPosition = keyIsPosition;
    this.inNoLineage = inNoLineage;
  }

  /** Judges a call on a class of Hadoop that is not read. */
  void check(MethodKey callee, boolean isStatic, List<FlowValue> arguments, MethodKey caller) {
    String owner = callee.owner();
    if (pool.isSubtype(owner, CONFIGURATION)) {
      configuration(callee, isStatic, arguments, caller);
    } else if (isContext(owner)) {
      context(callee, caller);
    } else if (owner.equals(MAPRED + "RecordReader")) {
      recordReader(callee, arguments, caller);
    } else {
      handedOn(callee, caller);
    }
  }

  private void recordReader(MethodKey callee, List<FlowValue> arguments, MethodKey caller) {
    switch (callee.name()) {
      case "getPos", "getProgress" ->
          findings.split(caller.display() + " calls " + callee.display());
      case "next" -> {
        // A key object from createKey is followed; any other one may be read unseen.
        if (keyIsPosition && arguments.get(1).position() == null) {
          findings.position(caller.display() + " fills a key object of its own");
        }
      }
      default -> {}
    }
  }

  private boolean isContext(String owner) {
    return (owner.startsWith(MAPREDUCE) || owner.startsWith(MAPRED))
        && (pool.isSubtype(owner, MAPREDUCE + "JobContext")
            || pool.isSubtype(owner, MAPRED + "Reporter"));
  }

  private void context(MethodKey callee, MethodKey caller) {
    String name = callee.name();
    if (PLACELESS.contains(name) || OBJECT_METHODS.contains(name)) {
      return;
    }
    if (RUN_PLACES.contains(name)) {
      differsBetweenRuns(caller, name + "()");
      return;
    }
    findings.split(caller.display() + " calls " + callee.display());
    if (RUN_IDS.contains(name)) {
      drawnAnew(caller, name + "()");
    }
  }

  private void configuration(
      MethodKey callee, boolean isStatic, List<FlowValue> arguments, MethodKey caller) {
    String name = callee.name();
    if (RUN_PLACES.contains(name)) {
      differsBetweenRuns(caller, name + "()");
    } else if (LOCAL_PLACES.contains(name) || addsFile(callee)) {
      findings.hazard(Kind.READS_OUTSIDE_DATA, caller.display() + " calls " + callee.display());
    } else if (WHOLE_CONFIGURATION.contains(name)) {
      findings.split(caller.display() + " reads the whole configuration (" + name + ")");
    } else if (CHANGES_CONFIGURATION.stream().anyMatch(name::startsWith)
        && !caller.owner().startsWith(MAPREDUCE)
        && !caller.owner().startsWith(MAPRED)) {
      // In a stock task, mapper and combiner share it. Nodes are combined where no mapper runs.
      findings.hazard(
          Kind.MUTABLE_STATIC_STATE,
          caller.display()
              + " changes a configuration ("
              + name
              + "), which other code of the task may read");
    } else if (!isStatic
        && (name.startsWith("get") || name.equals("onlyKeyExists"))
        && callee.descriptor().startsWith("(Ljava/lang/String;")
        && !NOT_PROPERTIES.contains(name)) {
      property(name, arguments.get(1), caller);
    }
  }

  private static boolean addsFile(MethodKey callee) {
    return callee.name().equals("addResource")
        && callee.descriptor().startsWith("(Lorg/apache/hadoop/fs/Path;");
  }

  private void property(String getter, FlowValue nameValue, MethodKey caller) {
    if (!(nameValue.constant() instanceof String name)) {
      findings.split(
          caller.display() + " reads a configuration property whose name is not a constant");
      return;
    }
    if (getter.equals("getPropsWithPrefix")) {
      if (TaskProperties.prefixReachesBeyondJob(name)) {
        findings.split(
            caller.display() + " reads all configuration properties that start with " + name);
      }
      return;
    }
    switch (TaskProperties.scopeOf(name)) {
      case JOB -> {
        if (inNoLineage.test(name)) {
          differsBetweenRuns(caller, name);
        }
      }
      case PLACE -> findings.position(readsProperty(caller, name));
      case SPLIT -> findings.split(readsProperty(caller, name));
      case TASK_NUMBER -> {
        findings.split(readsProperty(caller, name));
        if (mapSide) {
          findings.hazard(
              Kind.NONDETERMINISTIC,
              caller.display() + " reads " + name + ", which depends on how the job is cut up");
        }
      }
      case RUN_ID -> {
        findings.split(readsProperty(caller, name));
        drawnAnew(caller, name);
      }
      case RUN_PLACE -> differsBetweenRuns(caller, name);
    }
  }

  private static String readsProperty(MethodKey caller, String name) {
    return caller.display() + " reads property " + name;
  }

  /** Path and offset of a chunk do not determine ids, so no memoized leaf can stand in. */
  private void drawnAnew(MethodKey caller, String what) {
    findings.hazard(
        Kind.NONDETERMINISTIC,
        caller.display() + " reads " + what + ", which is another one in each run");
  }

  private void differsBetweenRuns(MethodKey caller, String what) {
    findings.hazard(
        Kind.READS_OUTSIDE_DATA,
        caller.display() + " reads " + what + ", which may differ between runs of the same job");
  }

  private void handedOn(MethodKey callee, MethodKey caller) {
    String owner = callee.owner();
    if (owner.equals(MAPREDUCE + "Counter") || owner.equals(MAPRED + "Counters$Counter")) {
      if (mapSide && Set.of("getValue", "getCounter").contains(callee.name())) {
        findings.hazard(
            Kind.MUTABLE_STATIC_STATE,
            caller.display() + " reads back a counter, which goes on from chunk to chunk");
      }
      return;
    }
    if (MAY_HOLD_CONFIGURATION.stream().anyMatch(owner::startsWith)
        || !takesTaskObject(callee.descriptor())) {
      return;
    }
    // A mapper called through the stock type is one that the caller of the analysis names.
    if (FlowInterpreter.isMapFunction(callee.name(), callee.descriptor())) {
      return;
    }
    findings.split(
        caller.display()
            + " hands its context or configuration to "
            + callee.display()
            + ", which is not examined");
  }

  private boolean takesTaskObject(String descriptor) {
    for (Type type : Type.getArgumentTypes(descriptor)) {
      if (type.getSort() == Type.OBJECT) {
        String name = type.getInternalName();
        if (name.startsWith("org/apache/hadoop/")
            && (isContext(name) || pool.isSubtype(name, CONFIGURATION))) {
          return true;
        }
      }
    }
    return false;
  }
}
