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

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.freshet.mapreduce.analysis.CacheFileNames.Form;
import org.freshet.mapreduce.analysis.CacheTerm.Is;
import org.freshet.mapreduce.analysis.CacheTerm.Step;
import org.objectweb.asm.Type;

/**
 * Which library calls hand on the name of a cache file, and which read a file by its name.
 *
 * <p>Everything that is not listed here stays what {@link LibraryEffects} says of it. Relative
 * names are taken for links only where {@code java.io} and {@code java.nio} open them: a Hadoop
 * file system may have another working directory than the task.
 */
final class FileAccess {

  /** How a value is used by a call that is harmless only for some values. */
  enum Use {
    /** A file opened by the JDK. */
    LOCAL_FILE,
    /** A file opened by the file system that its Hadoop path names. */
    HADOOP_FILE,
    /** A file opened through a file system at hand. */
    FILE_THROUGH,
    /** A stream or reader that is read. */
    STREAM,
    /** A status that is asked for the length. */
    LENGTH,
    /** Options that must not be there. */
    NO_OPTIONS;

    boolean allows(CacheValue value, CacheValue through, CacheFileNames names) {
      return switch (this) {
        case LOCAL_FILE -> value == CacheValue.LOCAL_PATH || value == CacheValue.LINK;
        case HADOOP_FILE -> leadsToFile(value, names);
        case FILE_THROUGH ->
            switch (through) {
              case SHARED_FILE_SYSTEM -> leadsToFile(value, names);
              case LOCAL_FILE_SYSTEM -> value == CacheValue.LOCAL_PATH;
              default -> false;
            };
        case STREAM -> value == CacheValue.OPENED;
        case LENGTH -> value == CacheValue.STATUS;
        case NO_OPTIONS -> value == CacheValue.EMPTY_ARRAY;
      };
    }

    private static boolean leadsToFile(CacheValue value, CacheFileNames names) {
      return switch (value) {
        case URI -> names.sufficient().contains(Form.URI);
        case PATH -> names.sufficient().contains(Form.PATH);
        default -> false;
      };
    }
  }

  /**
   * A value and what a call does with it.
   *
   * @param through the file system at hand; null where none is used or nothing is known of it
   */
  record Need(Use use, CacheTerm term, CacheTerm through) {
    Need(Use use, CacheTerm term) {
      this(use, term, null);
    }

    /** Whether nothing that is found out later can meet the need. */
    boolean isHopeless() {
      return term == null || (use == Use.FILE_THROUGH && through == null);
    }
  }

  private static final String CONFIGURATION = "org/apache/hadoop/conf/Configuration";
  private static final String JOB_CONTEXT = "org/apache/hadoop/mapreduce/JobContext";
  private static final String CACHE = "org/apache/hadoop/mapreduce/filecache/DistributedCache";
  private static final String FILE_SYSTEM = "org/apache/hadoop/fs/FileSystem";
  private static final String LOCAL_FILE_SYSTEM = "org/apache/hadoop/fs/LocalFileSystem";
  private static final String HADOOP_PATH = "org/apache/hadoop/fs/Path";
  private static final String SEQUENCE_FILE_READER = "org/apache/hadoop/io/SequenceFile$Reader";
  private static final String MAP_FILE_READER = "org/apache/hadoop/io/MapFile$Reader";
  private static final String PATH_OF_TEXT =
      "(Ljava/lang/String;[Ljava/lang/String;)Ljava/nio/file/Path;";

  /** Types whose instances know the job's cache files and the default file system. */
  static final Set<String> KEEPERS_OF_NAMES = Set.of(CONFIGURATION, JOB_CONTEXT);

  private static final Pattern CONFIGURATION_READ =
      Pattern.compile(
          "get.*|is.*|onlyKeyExists|iterator|forEach|spliterator|size|write|writeXml"
              + "|dumpConfiguration|equals|hashCode|toString");

  private static final Set<String> STREAM_READS =
      Set.of(
          "available",
          "close",
          "getPos",
          "mark",
          "markSupported",
          "read",
          "readBoolean",
          "readByte",
          "readChar",
          "readDouble",
          "readFloat",
          "readFully",
          "readInt",
          "readLine",
          "readLong",
          "readShort",
          "readUTF",
          "readUnsignedByte",
          "readUnsignedShort",
          "reset",
          "seek",
          "skip",
          "skipBytes");

  private static final Set<String> READER_READS =
      Set.of(
          "close",
          "finalKey",
          "get",
          "getClosest",
          "getCurrentValue",
          "getKeyClass",
          "getKeyClassName",
          "getValueClass",
          "getValueClassName",
          "midKey",
          "next",
          "reset",
          "seek");

  private static final Set<String> FILES_READS =
      Set.of(
          "exists",
          "isDirectory",
          "isReadable",
          "isRegularFile",
          "lines",
          "newBufferedReader",
          "newInputStream",
          "notExists",
          "readAllBytes",
          "readAllLines",
          "readString",
          "size");

  /** Calls that a list of names survives unchanged. */
  private static final Set<String> KEEPING_CALLS =
      Set.of(
          "java/util/Arrays.asList",
          "java/util/Arrays.stream",
          "java/util/Arrays.toString",
          "java/util/Objects.requireNonNull");

  private static final Set<String> LIST_READS =
      Set.of("get", "hasNext", "isEmpty", "iterator", "next", "size");

  private final ClassPool pool;
  private final CacheFileNames names;

  FileAccess(ClassPool pool, CacheFileNames names) {
    this.pool = pool;
    this.names = names;
  }

  /** What a literal is: the name of a link, or nothing to be opened. */
  CacheTerm literal(String text) {
    String link = text.startsWith("./") ? text.substring(2) : text;
    return names.links().contains(link) ? new Is(CacheValue.LINK) : null;
  }

  /** Whether a call returns the names of all cache files in an array of its own. */
  boolean listsCacheFiles(String owner, String name, String descriptor) {
    return lists(owner, name, descriptor) != null;
  }

  private CacheValue lists(String owner, String name, String descriptor) {
    CacheValue listed =
        switch (name) {
          case "getCacheFiles", "getCacheArchives" ->
              descriptor.endsWith(")[Ljava/net/URI;") ? CacheValue.URIS : null;
          case "getLocalCacheFiles", "getLocalCacheArchives" ->
              descriptor.endsWith(")[Lorg/apache/hadoop/fs/Path;") ? CacheValue.LOCAL_PATHS : null;
          default -> null;
        };
    boolean known =
        listed != null
            && !names.equals(CacheFileNames.NONE)
            && (pool.isSubtype(owner, JOB_CONTEXT) || pool.isSubtype(owner, CACHE));
    return known ? listed : null;
  }

  /** Whether the call may change which cache files, or which default file system, a job has. */
  boolean changesNames(MethodKey callee) {
    String name = callee.name();
    if (pool.isSubtype(callee.owner(), CONFIGURATION)) {
      return !CONFIGURATION_READ.matcher(name).matches();
    }
    if (pool.isSubtype(callee.owner(), CACHE)) {
      return !name.startsWith("get") && !name.startsWith("check");
    }
    return callee.owner().equals("org/apache/hadoop/mapreduce/Job")
        && (name.startsWith("add")
            || name.startsWith("set")
            || (name.equals("getInstance") && callee.descriptor().startsWith("()")));
  }

  /** What a library call returns or, for a constructor, makes of its receiver. */
  CacheTerm result(MethodKey callee, List<? extends FlowValue> arguments) {
    String owner = callee.owner();
    String name = callee.name();
    CacheValue listed = lists(owner, name, callee.descriptor());
    if (listed != null) {
      return new Is(listed);
    }
    return switch (owner) {
      case HADOOP_PATH -> hadoopPath(callee, arguments);
      case "java/net/URI" -> uri(callee, arguments);
      case "java/io/File" -> file(callee, arguments);
      case "java/nio/file/Path", "java/nio/file/Paths" -> path(callee, arguments);
      // Not String.valueOf, which makes a name of null.
      case "java/lang/String" -> name.equals("toString") ? step(Step.SAME, arguments, 0) : null;
      case "java/lang/Object" -> name.equals("toString") ? step(Step.TEXT, arguments, 0) : null;
      case "java/util/Objects" ->
          name.equals("requireNonNull") ? step(Step.SAME, arguments, 0) : null;
      case "java/util/Arrays" -> name.equals("asList") ? step(Step.SAME, arguments, 0) : null;
      case "java/util/List", "java/util/Iterator", "java/util/Collection", "java/lang/Iterable" ->
          switch (name + callee.descriptor()) {
            case "iterator()Ljava/util/Iterator;" -> step(Step.SAME, arguments, 0);
            case "get(I)Ljava/lang/Object;", "next()Ljava/lang/Object;" ->
                step(Step.ELEMENT, arguments, 0);
            default -> null;
          };
      case FILE_SYSTEM, LOCAL_FILE_SYSTEM -> fileSystem(callee, arguments);
      case SEQUENCE_FILE_READER, MAP_FILE_READER ->
          name.equals("<init>") ? new Is(CacheValue.OPENED) : null;
      default -> null;
    };
  }

  private static CacheTerm hadoopPath(MethodKey callee, List<? extends FlowValue> arguments) {
    return switch (callee.name() + callee.descriptor()) {
      case "<init>(Ljava/lang/String;)V", "<init>(Ljava/net/URI;)V" ->
          step(Step.SAME, arguments, 1);
      case "toUri()Ljava/net/URI;" -> step(Step.SAME, arguments, 0);
      case "toString()Ljava/lang/String;" -> step(Step.TEXT, arguments, 0);
      case "getName()Ljava/lang/String;" -> step(Step.LAST_COMPONENT, arguments, 0);
      case "getFileSystem(Lorg/apache/hadoop/conf/Configuration;)Lorg/apache/hadoop/fs/FileSystem;" ->
          step(Step.FILE_SYSTEM, arguments, 0);
      default -> null;
    };
  }

  private static CacheTerm uri(MethodKey callee, List<? extends FlowValue> arguments) {
    return switch (callee.name() + callee.descriptor()) {
      case "<init>(Ljava/lang/String;)V" -> step(Step.SAME, arguments, 1);
      case "create(Ljava/lang/String;)Ljava/net/URI;" -> step(Step.SAME, arguments, 0);
      case "toString()Ljava/lang/String;" -> step(Step.TEXT, arguments, 0);
      case "getPath()Ljava/lang/String;" -> step(Step.PATH, arguments, 0);
      default -> null;
    };
  }

  private static CacheTerm file(MethodKey callee, List<? extends FlowValue> arguments) {
    return switch (callee.name() + callee.descriptor()) {
      case "<init>(Ljava/lang/String;)V" -> step(Step.SAME, arguments, 1);
      case "<init>(Ljava/net/URI;)V" -> step(Step.FILE_OF_URI, arguments, 1);
      case "getPath()Ljava/lang/String;",
          "toString()Ljava/lang/String;",
          "toPath()Ljava/nio/file/Path;" ->
          step(Step.SAME, arguments, 0);
      case "getName()Ljava/lang/String;" -> step(Step.LAST_COMPONENT, arguments, 0);
      default -> null;
    };
  }

  private static CacheTerm path(MethodKey callee, List<? extends FlowValue> arguments) {
    return switch (callee.name() + callee.descriptor()) {
      case "get" + PATH_OF_TEXT, "of" + PATH_OF_TEXT -> {
        // Further components would join the name to others.
        boolean alone = new Is(CacheValue.EMPTY_ARRAY).equals(arguments.get(1).cache());
        yield alone ? step(Step.SAME, arguments, 0) : null;
      }
      case "get(Ljava/net/URI;)Ljava/nio/file/Path;", "of(Ljava/net/URI;)Ljava/nio/file/Path;" ->
          step(Step.FILE_OF_URI, arguments, 0);
      case "toString()Ljava/lang/String;", "toFile()Ljava/io/File;" ->
          step(Step.SAME, arguments, 0);
      case "getFileName()Ljava/nio/file/Path;" -> step(Step.LAST_COMPONENT, arguments, 0);
      default -> null;
    };
  }

  private static CacheTerm fileSystem(MethodKey callee, List<? extends FlowValue> arguments) {
    if (isObtained(callee)) {
      return switch (callee.name()) {
        case "getLocal", "newInstanceLocal" -> new Is(CacheValue.LOCAL_FILE_SYSTEM);
        default ->
            callee.descriptor().startsWith("(Ljava/net/URI;")
                ? step(Step.FILE_SYSTEM, arguments, 0)
                : new Is(CacheValue.SHARED_FILE_SYSTEM);
      };
    }
    return switch (callee.name()) {
      case "open" -> new Is(CacheValue.OPENED);
      case "getFileStatus" -> new Is(CacheValue.STATUS);
      default -> null;
    };
  }

  private static boolean isObtained(MethodKey callee) {
    String descriptor = callee.descriptor();
    boolean byConfiguration = descriptor.startsWith("(Lorg/apache/hadoop/conf/Configuration;)");
    return switch (callee.name()) {
      case "get", "newInstance" ->
          byConfiguration
              || descriptor.startsWith("(Ljava/net/URI;Lorg/apache/hadoop/conf/Configuration;)");
      case "getLocal", "newInstanceLocal" -> byConfiguration;
      default -> false;
    };
  }

  private static CacheTerm step(Step step, List<? extends FlowValue> arguments, int index) {
    return CacheTerm.derived(step, arguments.get(index).cache());
  }

  /**
   * What must hold for a call to do no more than reading cache files; empty if nothing makes it
   * that, or if it has nothing to do with files.
   */
  Optional<List<Need>> needs(MethodKey callee, List<FlowValue> arguments) {
    return switch (callee.owner()) {
      case HADOOP_PATH ->
          callee.name().equals("getFileSystem") ? Optional.of(List.of()) : Optional.empty();
      case FILE_SYSTEM, LOCAL_FILE_SYSTEM -> fileSystemNeeds(callee, arguments);
      case "org/apache/hadoop/fs/FSDataInputStream" ->
          need(STREAM_READS.contains(callee.name()), Use.STREAM, arguments, 0);
      case "org/apache/hadoop/fs/FileStatus" ->
          need(
              Set.of("getLen", "isDirectory", "isFile").contains(callee.name()),
              Use.LENGTH,
              arguments,
              0);
      case SEQUENCE_FILE_READER -> sequenceFileNeeds(callee, arguments);
      case MAP_FILE_READER -> mapFileNeeds(callee, arguments);
      case "java/io/FileReader", "java/io/FileInputStream" ->
          callee.name().equals("<init>") ? namedFile(callee, arguments) : Optional.empty();
      case "java/util/Scanner" ->
          callee.descriptor().startsWith("(Ljava/lang/String;)")
              ? Optional.empty()
              : namedFile(callee, arguments);
      case "java/nio/file/Files" -> filesNeeds(callee, arguments);
      case "java/io/File" ->
          need(
              Set.of("canRead", "exists", "isDirectory", "isFile", "length")
                  .contains(callee.name()),
              Use.LOCAL_FILE,
              arguments,
              0);
      default -> Optional.empty();
    };
  }

  private static Optional<List<Need>> fileSystemNeeds(MethodKey callee, List<FlowValue> arguments) {
    String name = callee.name();
    if (isObtained(callee) || name.equals("close")) {
      return Optional.of(List.of());
    }
    boolean reads =
        switch (name + callee.descriptor().substring(0, callee.descriptor().indexOf(')') + 1)) {
          case "open(Lorg/apache/hadoop/fs/Path;)",
              "open(Lorg/apache/hadoop/fs/Path;I)",
              "exists(Lorg/apache/hadoop/fs/Path;)",
              "isFile(Lorg/apache/hadoop/fs/Path;)",
              "isDirectory(Lorg/apache/hadoop/fs/Path;)",
              "getLength(Lorg/apache/hadoop/fs/Path;)",
              "getFileStatus(Lorg/apache/hadoop/fs/Path;)" ->
              true;
          default -> false;
        };
    return reads ? through(arguments, 0, 1) : Optional.empty();
  }

  private static Optional<List<Need>> through(List<FlowValue> arguments, int fileSystem, int file) {
    return Optional.of(
        List.of(
            new Need(
                Use.FILE_THROUGH, arguments.get(file).cache(), arguments.get(fileSystem).cache())));
  }

  private static Optional<List<Need>> sequenceFileNeeds(
      MethodKey callee, List<FlowValue> arguments) {
    return switch (callee.name()) {
      case "<init>" -> {
        if (callee.descriptor().startsWith("(Lorg/apache/hadoop/fs/FileSystem;")) {
          yield through(arguments, 1, 2);
        }
        // The options are judged where they are made.
        yield Optional.of(List.of());
      }
      case "file" -> need(true, Use.HADOOP_FILE, arguments, 0);
      case "bufferSize", "length", "start" -> Optional.of(List.of());
      default -> need(READER_READS.contains(callee.name()), Use.STREAM, arguments, 0);
    };
  }

  private static Optional<List<Need>> mapFileNeeds(MethodKey callee, List<FlowValue> arguments) {
    if (!callee.name().equals("<init>")) {
      return need(READER_READS.contains(callee.name()), Use.STREAM, arguments, 0);
    }
    return callee.descriptor().startsWith("(Lorg/apache/hadoop/fs/FileSystem;")
        ? through(arguments, 1, 2)
        : need(true, Use.HADOOP_FILE, arguments, 1);
  }

  /** A constructor that opens the file named first, with charset and locale after it. */
  private static Optional<List<Need>> namedFile(MethodKey callee, List<FlowValue> arguments) {
    Type[] types = Type.getArgumentTypes(callee.descriptor());
    boolean named =
        types.length > 0
            && Set.of("java.lang.String", "java.io.File", "java.nio.file.Path")
                .contains(types[0].getClassName());
    return need(named, Use.LOCAL_FILE, arguments, 1);
  }

  private static Optional<List<Need>> filesNeeds(MethodKey callee, List<FlowValue> arguments) {
    if (!FILES_READS.contains(callee.name())) {
      return Optional.empty();
    }
    List<Need> needs = new ArrayList<>();
    needs.add(new Need(Use.LOCAL_FILE, arguments.get(0).cache()));
    Type[] types = Type.getArgumentTypes(callee.descriptor());
    for (int i = 1; i < types.length; i++) {
      if (types[i].getSort() == Type.ARRAY) {
        // One of the options deletes the file afterwards.
        needs.add(new Need(Use.NO_OPTIONS, arguments.get(i).cache()));
      }
    }
    return Optional.of(needs);
  }

  private static Optional<List<Need>> need(
      boolean applies, Use use, List<FlowValue> arguments, int index) {
    return applies
        ? Optional.of(List.of(new Need(use, arguments.get(index).cache())))
        : Optional.empty();
  }

  /**
   * The values that library code, told nothing of files, gets to see by a call: it might change an
   * array of names, or look into a file system or status.
   */
  List<CacheTerm> handedOut(MethodKey callee, boolean isStatic, List<FlowValue> arguments) {
    if (KEEPING_CALLS.contains(callee.owner() + "." + callee.name())) {
      return List.of();
    }
    boolean keepsReceiver = !isStatic && LIST_READS.contains(callee.name());
    List<CacheTerm> terms = new ArrayList<>();
    for (int i = keepsReceiver ? 1 : 0; i < arguments.size(); i++) {
      if (arguments.get(i).cache() != null) {
        terms.add(arguments.get(i).cache());
      }
    }
    return terms;
  }
}
