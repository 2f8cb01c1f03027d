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
import java.util.Optional;
import java.util.Set;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;

/**
 * What calls into code that is not read can do beyond computing with their arguments.
 *
 * <p>Reading files is told by the call alone; {@link FileAccess} knows which names make it
 * harmless.
 *
 * <p>Deliberately harmless: {@code System.getProperty}, default locale and time zone, class-path
 * resources (their jars are part of a job's lineage), exiting, printing. Known to be missed:
 * identity hash codes of objects that do not override {@code hashCode}.
 */
final class LibraryEffects {

  /** What a call does. */
  sealed interface Effect {}

  /** Makes the output depend on more than records and configuration. */
  record Hazardous(Kind kind) implements Effect {}

  /** Runs code that cannot be told from the bytecode. */
  record Reflective() implements Effect {}

  private static final Effect OUTSIDE = new Hazardous(Kind.READS_OUTSIDE_DATA);
  private static final Effect STATIC = new Hazardous(Kind.MUTABLE_STATIC_STATE);
  private static final Effect TIME = new Hazardous(Kind.DEPENDS_ON_TIME);
  private static final Effect CHANCE = new Hazardous(Kind.NONDETERMINISTIC);
  private static final Effect REFLECTION = new Reflective();

  private static final List<String> OUTSIDE_PACKAGES =
      List.of(
          "java/sql/",
          "javax/sql/",
          "javax/naming/",
          "javax/net/",
          "java/lang/management/",
          "java/net/",
          "java/nio/channels/",
          "java/rmi/",
          "scala/io/",
          "scala/sys/",
          "org/apache/hadoop/crypto/",
          "org/apache/hadoop/fs/",
          "org/apache/hadoop/hbase/",
          "org/apache/hadoop/hdfs/",
          "org/apache/hadoop/hive/",
          "org/apache/hadoop/http/",
          "org/apache/hadoop/ipc/",
          "org/apache/hadoop/net/",
          "org/apache/hadoop/security/",
          "org/apache/hadoop/yarn/",
          "org/apache/hadoop/mapred/lib/db/",
          "org/apache/hadoop/mapreduce/lib/db/",
          // Side outputs: a chunk that is not mapped again would leave them out.
          "org/apache/hadoop/mapreduce/lib/output/");

  private static final Set<String> OUTSIDE_CLASSES =
      Set.of(
          "java/lang/ProcessBuilder",
          "java/lang/ProcessHandle",
          "org/apache/hadoop/io/ArrayFile$Reader",
          "org/apache/hadoop/io/BloomMapFile$Reader",
          "org/apache/hadoop/io/MapFile$Reader",
          "org/apache/hadoop/io/MapFile$Writer",
          "org/apache/hadoop/io/SequenceFile",
          "org/apache/hadoop/io/SequenceFile$Reader",
          "org/apache/hadoop/io/SequenceFile$Writer",
          "org/apache/hadoop/io/SetFile$Reader",
          // The list of all inputs, which grows while a chunk stays what it is.
          "org/apache/hadoop/mapred/FileInputFormat",
          "org/apache/hadoop/mapred/FileOutputFormat",
          "org/apache/hadoop/mapred/JobClient",
          "org/apache/hadoop/mapred/RecordWriter",
          "org/apache/hadoop/mapred/lib/MultipleOutputs",
          "org/apache/hadoop/mapreduce/OutputCommitter",
          "org/apache/hadoop/mapreduce/OutputFormat",
          "org/apache/hadoop/mapreduce/RecordWriter",
          "org/apache/hadoop/mapreduce/lib/input/FileInputFormat",
          "org/apache/hadoop/util/RunJar",
          "org/apache/hadoop/util/Shell",
          "org/apache/hadoop/util/Shell$ShellCommandExecutor",
          "org/apache/hadoop/util/ToolRunner");

  /** Members of the packages above that only hold or parse values. */
  private static final Set<String> VALUE_CLASSES =
      Set.of(
          "java/net/IDN",
          "java/net/URI",
          "java/net/URLDecoder",
          "java/net/URLEncoder",
          "java/sql/Date",
          "java/sql/Time",
          "java/sql/Timestamp",
          "java/sql/Types",
          "org/apache/hadoop/fs/Path",
          "org/apache/hadoop/hbase/io/ImmutableBytesWritable",
          "org/apache/hadoop/hbase/util/Bytes");

  private static final Set<String> URL_LOOKUPS =
      Set.of("openStream", "openConnection", "getContent", "equals", "hashCode", "sameFile");

  private static final Set<String> LOCAL_FILE_CLASSES =
      Set.of(
          "java/io/FileInputStream",
          "java/io/FileOutputStream",
          "java/io/FileReader",
          "java/io/FileWriter",
          "java/io/RandomAccessFile",
          "java/nio/file/Files",
          "java/nio/file/FileSystem",
          "java/nio/file/FileSystems",
          "java/util/jar/JarFile",
          "java/util/zip/ZipFile",
          "kotlin/io/FilesKt");

  /** Methods of File that work on its name alone. */
  private static final Set<String> FILE_NAME_METHODS =
      Set.of(
          "<init>",
          "getName",
          "getPath",
          "getParent",
          "getParentFile",
          "isAbsolute",
          "toPath",
          "toURI",
          "toString",
          "equals",
          "hashCode",
          "compareTo");

  private static final List<String> CHANCE_PACKAGES =
      List.of("kotlin/concurrent/", "kotlin/random/", "scala/collection/parallel/");

  private static final Set<String> CHANCE_CLASSES =
      Set.of(
          "java/security/SecureRandom",
          "java/util/Timer",
          "java/util/concurrent/Executors",
          "java/util/concurrent/ForkJoinPool",
          "java/util/concurrent/ScheduledThreadPoolExecutor",
          "java/util/concurrent/ThreadLocalRandom",
          "java/util/concurrent/ThreadPoolExecutor",
          "java/util/random/RandomGeneratorFactory",
          "org/apache/commons/lang/RandomStringUtils",
          "org/apache/commons/lang/math/RandomUtils",
          "org/apache/commons/lang3/RandomStringUtils",
          "org/apache/commons/lang3/RandomUtils",
          "scala/util/Random",
          "scala/util/Random$");

  private LibraryEffects() {}

  /** The effect of a call on a class that is not read, if it has one. */
  static Optional<Effect> of(String owner, String name, String descriptor) {
    if (owner.endsWith("Exception")) {
      return Optional.empty();
    }
    return outsideData(owner, name, descriptor)
        .or(() -> time(owner, name, descriptor))
        .or(() -> chance(owner, name, descriptor))
        .or(() -> staticState(owner, name))
        .or(() -> reflection(owner, name));
  }

  private static Optional<Effect> staticState(String owner, String name) {
    boolean setsProperty = owner.equals("java/lang/System") && name.equals("setProperty");
    return when(setsProperty, STATIC);
  }

  private static Optional<Effect> outsideData(String owner, String name, String descriptor) {
    if (VALUE_CLASSES.contains(owner)) {
      return when(
          owner.equals("org/apache/hadoop/fs/Path") && name.equals("getFileSystem"), OUTSIDE);
    }
    if (owner.equals("java/net/URL")) {
      return when(URL_LOOKUPS.contains(name), OUTSIDE);
    }
    if (OUTSIDE_CLASSES.contains(owner) || startsWithAny(owner, OUTSIDE_PACKAGES)) {
      return Optional.of(OUTSIDE);
    }
    if (LOCAL_FILE_CLASSES.contains(owner) || owner.startsWith("kotlin/io/path/")) {
      return Optional.of(OUTSIDE);
    }
    return switch (owner) {
      case "java/io/File" -> when(!FILE_NAME_METHODS.contains(name), OUTSIDE);
      case "java/io/PrintStream", "java/io/PrintWriter", "java/util/Formatter" ->
          when(name.equals("<init>") && takesFileOrName(descriptor), OUTSIDE);
      case "javax/xml/parsers/DocumentBuilder", "javax/xml/parsers/SAXParser" ->
          when(name.equals("parse") && takesFileOrName(descriptor), OUTSIDE);
      case "java/lang/System" ->
          when(Set.of("getenv", "load", "loadLibrary").contains(name), OUTSIDE);
      case "java/lang/Runtime" ->
          when(Set.of("exec", "load", "loadLibrary").contains(name), OUTSIDE);
      case "org/apache/hadoop/mapreduce/Job" ->
          when(Set.of("submit", "waitForCompletion").contains(name), OUTSIDE);
      default -> when(takesFile(descriptor) && !owner.startsWith("java/nio/file/"), OUTSIDE);
    };
  }

  /** Who takes a file or an address rather than a stream opens it. */
  private static boolean takesFile(String descriptor) {
    int end = descriptor.indexOf(')');
    String parameters = end < 0 ? "" : descriptor.substring(0, end);
    return parameters.contains("Ljava/io/File;")
        || parameters.contains("Ljava/nio/file/Path;")
        || parameters.contains("Ljava/net/URL;");
  }

  private static boolean takesFileOrName(String descriptor) {
    return takesFile(descriptor) || descriptor.startsWith("(Ljava/lang/String;");
  }

  private static Optional<Effect> time(String owner, String name, String descriptor) {
    if (owner.startsWith("java/time/")) {
      boolean systemClock =
          owner.equals("java/time/Clock") && (name.startsWith("system") || name.startsWith("tick"));
      return when(systemClock || name.equals("now"), TIME);
    }
    if (startsWithAny(owner, List.of("kotlin/system/", "kotlin/time/"))) {
      return Optional.of(TIME);
    }
    return switch (owner) {
      case "java/lang/System" -> when(Set.of("currentTimeMillis", "nanoTime").contains(name), TIME);
      case "java/util/Date" -> when(name.equals("<init>") && descriptor.equals("()V"), TIME);
      case "java/util/Calendar", "java/util/Calendar$Builder" ->
          when(name.equals("getInstance"), TIME);
      // Constructors without numbers start at the present moment.
      case "java/util/GregorianCalendar" ->
          when(name.equals("<init>") && !descriptor.startsWith("(I"), TIME);
      case "org/apache/hadoop/util/Time",
          "org/apache/hadoop/util/StopWatch",
          "com/google/common/base/Stopwatch",
          "com/google/common/base/Ticker",
          "org/apache/commons/lang/time/StopWatch",
          "org/apache/commons/lang3/time/StopWatch" ->
          Optional.of(TIME);
      default -> Optional.empty();
    };
  }

  private static Optional<Effect> chance(String owner, String name, String descriptor) {
    if (CHANCE_CLASSES.contains(owner) || startsWithAny(owner, CHANCE_PACKAGES)) {
      return Optional.of(CHANCE);
    }
    boolean seedless = name.equals("<init>") && descriptor.equals("()V");
    return switch (owner) {
      case "java/util/Random", "java/util/SplittableRandom" -> when(seedless, CHANCE);
      case "java/util/random/RandomGenerator" ->
          when(Set.of("getDefault", "of").contains(name), CHANCE);
      case "java/lang/Math", "java/lang/StrictMath" -> when(name.equals("random"), CHANCE);
      case "java/util/UUID" -> when(name.equals("randomUUID"), CHANCE);
      case "java/util/Collections" ->
          when(name.equals("shuffle") && descriptor.equals("(Ljava/util/List;)V"), CHANCE);
      case "java/lang/System" -> when(name.equals("identityHashCode"), CHANCE);
      case "java/lang/Runtime" -> when(Set.of("freeMemory", "totalMemory").contains(name), CHANCE);
      case "java/lang/Thread" -> when(name.equals("start"), CHANCE);
      case "java/util/concurrent/CompletableFuture" -> when(name.endsWith("Async"), CHANCE);
      default ->
          when(runsInParallel(owner, name) || drawsByDefault(owner, name, descriptor), CHANCE);
    };
  }

  /** Kotlin's helpers draw from its default generator unless they are given one. */
  private static boolean drawsByDefault(String owner, String name, String descriptor) {
    return owner.startsWith("kotlin/")
        && Set.of("random", "randomOrNull", "shuffle", "shuffled").contains(name)
        && !descriptor.contains("Random;");
  }

  private static boolean runsInParallel(String owner, String name) {
    return switch (name) {
      case "parallelStream" -> true;
      case "parallel" -> owner.startsWith("java/util/stream/");
      case "apply" -> owner.startsWith("scala/concurrent/");
      default -> false;
    };
  }

  private static Optional<Effect> reflection(String owner, String name) {
    return switch (owner) {
      case "java/lang/reflect/Method" -> when(name.equals("invoke"), REFLECTION);
      case "java/lang/reflect/Constructor" -> when(name.equals("newInstance"), REFLECTION);
      case "java/lang/reflect/Field" ->
          when(name.equals("get") || name.startsWith("set"), REFLECTION);
      case "java/lang/reflect/Proxy" -> when(name.equals("newProxyInstance"), REFLECTION);
      case "java/lang/Class" ->
          when(name.equals("newInstance") || name.equals("forName"), REFLECTION);
      case "java/lang/ClassLoader", "java/net/URLClassLoader" ->
          when(name.equals("loadClass") || name.equals("defineClass"), REFLECTION);
      case "java/util/ServiceLoader", "java/lang/invoke/MethodHandles$Lookup", "sun/misc/Unsafe" ->
          Optional.of(REFLECTION);
      case "java/lang/invoke/MethodHandle" -> when(name.startsWith("invoke"), REFLECTION);
      case "java/io/ObjectInputStream" -> when(name.equals("readObject"), REFLECTION);
      case "org/apache/hadoop/util/ReflectionUtils" -> when(name.equals("newInstance"), REFLECTION);
      case "org/apache/hadoop/conf/Configuration", "org/apache/hadoop/mapred/JobConf" ->
          when(name.equals("getInstances"), REFLECTION);
      default -> when(owner.startsWith("javax/script/"), REFLECTION);
    };
  }

  private static Optional<Effect> when(boolean applies, Effect effect) {
    return applies ? Optional.of(effect) : Optional.empty();
  }

  private static boolean startsWithAny(String owner, List<String> prefixes) {
    for (String prefix : prefixes) {
      if (owner.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }
}
