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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.freshet.mapreduce.analysis.CodeTraits.Hazard;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

class HazardTest {

  private final JobCodeAnalyzer analyzer = new JobCodeAnalyzer(getClass().getClassLoader());

  private CodeTraits analyze(Class<?> mapper, boolean hasCacheFiles) {
    return analyzer.analyzeMap(true, mapper.getName(), List.of(), true, hasCacheFiles);
  }

  private static Class<?> fixture(String name) throws ClassNotFoundException {
    return Class.forName(
        HazardMappers.class.getName() + "$" + name, false, HazardTest.class.getClassLoader());
  }

  @ParameterizedTest
  @CsvSource({
    "READS_OUTSIDE_DATA, OpensFileSystem, HazardMappers$OpensFileSystem.step uses FileSystem.open",
    "READS_OUTSIDE_DATA, ReadsLocalFile, HazardMappers$ReadsLocalFile.step uses FileReader's constructor",
    "READS_OUTSIDE_DATA, ReadsEnvironment, HazardMappers$ReadsEnvironment.step uses System.getenv",
    "READS_OUTSIDE_DATA, WritesSideFiles, HazardMappers$WritesSideFiles.setup uses MultipleOutputs's constructor",
    "READS_OUTSIDE_DATA, SetByMain, 'HazardMappers$SetByMain.step reads static field HazardMappers$SetByMain.minimum, which HazardMappers$SetByMain.main sets outside the task'",
    "READS_OUTSIDE_DATA, ReadsStandardInput, HazardMappers$ReadsStandardInput.step reads System.in",
    "READS_OUTSIDE_DATA, CountsMapTasks, 'HazardMappers$CountsMapTasks.step reads mapreduce.job.maps, which may differ between runs of the same job'",
    "READS_OUTSIDE_DATA, ListsInputs, HazardMappers$ListsInputs.step uses FileInputFormat.getInputPaths",
    "READS_OUTSIDE_DATA, ParsesXmlFile, HazardMappers$ParsesXmlFile.step uses DocumentBuilder.parse",
    "DEPENDS_ON_TIME, ReadsClock, HazardMappers$ReadsClock.step uses System.currentTimeMillis",
    "DEPENDS_ON_TIME, ClockByMethodReference, HazardMappers$ClockByMethodReference.step uses Instant.now",
    "DEPENDS_ON_TIME, NewDate, HazardMappers$NewDate.step uses Date's constructor",
    "DEPENDS_ON_TIME, CalendarInstance, HazardMappers$CalendarInstance.step uses Calendar.getInstance",
    "DEPENDS_ON_TIME, ClockInInitializer, HazardMappers$ClockInInitializer's static initializer uses System.nanoTime",
    "NONDETERMINISTIC, UnseededRandom, HazardMappers$UnseededRandom's constructor uses Random's constructor",
    "NONDETERMINISTIC, RandomUuid, HazardMappers$RandomUuid.step uses UUID.randomUUID",
    "NONDETERMINISTIC, LocalRandom, HazardMappers$LocalRandom.step uses ThreadLocalRandom.current",
    "NONDETERMINISTIC, StartsThread, HazardMappers$StartsThread.step uses Thread.start",
    "NONDETERMINISTIC, Shuffles, HazardMappers$Shuffles.step uses Collections.shuffle",
    "MUTABLE_STATIC_STATE, CountsInStatic, HazardMappers$CountsInStatic.step assigns static field HazardMappers$CountsInStatic.count",
    "MUTABLE_STATIC_STATE, CachesInStaticMap, HazardMappers$CachesInStaticMap.step changes the content of static field HazardMappers$CachesInStaticMap.SEEN",
    "MUTABLE_STATIC_STATE, CachesInNestedList, HazardMappers$CachesInNestedList.step changes the content of static field HazardMappers$CachesInNestedList.SEEN",
    "MUTABLE_STATIC_STATE, CachesThroughHelper, HazardMappers$CachesThroughHelper.remember changes the content of static field HazardMappers$CachesThroughHelper.SEEN",
    "MUTABLE_STATIC_STATE, CachesThroughField, HazardMappers$CachesThroughField.step changes the content of static field HazardMappers$CachesThroughField.SHARED",
    "MUTABLE_STATIC_STATE, CachesThroughLambda, HazardMappers$CachesThroughLambda.step changes the content of static field HazardMappers$CachesThroughLambda.SHARED",
    "MUTABLE_STATIC_STATE, ChangesValuesInForEach, HazardMappers$ChangesValuesInForEach.step changes the content of static field HazardMappers$ChangesValuesInForEach.TABLE",
    "MUTABLE_STATIC_STATE, StaticThreadLocal, HazardMappers$StaticThreadLocal.step changes the content of static field HazardMappers$StaticThreadLocal.LAST",
    "MUTABLE_STATIC_STATE, SetsSystemProperty, HazardMappers$SetsSystemProperty.step uses System.setProperty",
    "MUTABLE_STATIC_STATE, StaticAtomic, HazardMappers$StaticAtomic.step changes the content of static field HazardMappers$StaticAtomic.NEXT",
    "MUTABLE_STATIC_STATE, StaticSeededRandom, HazardMappers$StaticSeededRandom.step changes the content of static field HazardMappers$StaticSeededRandom.RANDOM",
    "MUTABLE_STATIC_STATE, StaticArray, HazardMappers$StaticArray.step changes the content of static field HazardMappers$StaticArray.LENGTHS",
    "MUTABLE_STATIC_STATE, StaticOwnObject, HazardMappers$Tally.add changes the content of static field HazardMappers$StaticOwnObject.TALLY",
    "MUTABLE_STATIC_STATE, AccumulatesInStaticWritable, HazardMappers$AccumulatesInStaticWritable.step changes the content of static field HazardMappers$AccumulatesInStaticWritable.TOTAL",
    "MUTABLE_STATIC_STATE, ReadsBackCounter, 'HazardMappers$ReadsBackCounter.step reads back a counter, which goes on from chunk to chunk'",
    "DEPENDS_ON_TIME, SubclassesName, HazardMappers$SubclassesName.step uses GregorianCalendar.getInstance",
    "READS_OUTSIDE_DATA, ParsesAddress, HazardMappers$ParsesAddress.step uses ImageIO.read",
    "NONDETERMINISTIC, DefaultGenerator, HazardMappers$DefaultGenerator.step uses RandomGenerator.getDefault",
    "MUTABLE_STATIC_STATE, ComparesWithStatic, HazardMappers$ComparesWithStatic.step changes the content of static field HazardMappers$ComparesWithStatic.LAST",
    "MUTABLE_STATIC_STATE, PrintsStatic, HazardMappers$PrintsStatic.step changes the content of static field HazardMappers$PrintsStatic.LAST",
    "MUTABLE_STATIC_STATE, SetsProperty, 'HazardMappers$SetsProperty.step changes a configuration (setInt), which other code of the task may read'",
    "UNREADABLE_CODE, CallsNative, HazardMappers$CallsNative.length is a native method"
  })
  void eachHazardIsFoundAndExplained(Kind kind, String mapper, String reason) throws Exception {
    assertThat(analyze(fixture(mapper), false).hazard()).contains(new Hazard(kind, reason));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HandlesPathsOnly",
        "ParsesDates",
        "SeededRandom",
        "ShufflesBySeed",
        "InstanceOwnObject",
        "HarmlessStatics"
      })
  void harmlessNeighboursOfHazardsAreNone(String mapper) throws Exception {
    assertThat(analyze(fixture(mapper), false).hazard()).isEmpty();
  }

  @Test
  void localFilesOfUnknownNamesStayAHazardWhereThereAreCacheFiles() {
    assertThat(analyze(HazardMappers.ReadsLocalFile.class, true).hazard()).isPresent();
    assertThat(analyze(HazardMappers.OpensFileSystem.class, true).hazard()).isPresent();
  }

  @Test
  void onlyAMissingClassThatIsNeededIsAHazard() {
    ClassLoader loader = new Hiding(HazardMappers.Missing.class.getName());
    JobCodeAnalyzer blind = new JobCodeAnalyzer(loader);
    String needs = HazardMappers.NeedsMissing.class.getName();
    String never = HazardMappers.NeverNeedsMissing.class.getName();

    assertThat(blind.analyzeMap(true, needs, List.of(), true, false).hazard())
        .contains(
            new Hazard(
                Kind.UNREADABLE_CODE,
                "HazardMappers$NeedsMissing.step needs class "
                    + HazardMappers.Missing.class.getName()
                    + ", which cannot be read"));
    assertThat(blind.analyzeMap(true, never, List.of(), true, false).hazard()).isEmpty();
  }

  @Test
  void aMapperThatIsMissingOrOfTheOtherApiIsUnreadable() {
    assertThat(analyzer.analyzeMap(true, "no.such.Mapper", List.of(), true, false).hazard())
        .contains(
            new Hazard(
                Kind.UNREADABLE_CODE, "The job needs class no.such.Mapper, which cannot be read"));
    assertThat(
            analyzer
                .analyzeMap(
                    false, HazardMappers.ParsesDates.class.getName(), List.of(), true, false)
                .hazard()
                .map(Hazard::kind))
        .contains(Kind.UNREADABLE_CODE);
  }

  @Test
  void hazardsOfACombinerCountOnTheMapSide() {
    CodeTraits traits =
        analyzer.analyzeMap(
            true,
            HazardMappers.ParsesDates.class.getName(),
            List.of(SampleReducers.SamplesReducer.class.getName()),
            true,
            false);
    assertThat(traits.hazard().map(Hazard::kind)).contains(Kind.NONDETERMINISTIC);
  }

  @Test
  void reducersMayNumberByPartitionAndKeepStaticsButNotNameAttempts() {
    assertThat(reduce(SampleReducers.NumbersByPartition.class)).isNull();
    assertThat(reduce(SampleReducers.NamesAttempt.class)).isEqualTo(Kind.NONDETERMINISTIC);
    assertThat(reduce(SampleReducers.SamplesReducer.class)).isEqualTo(Kind.NONDETERMINISTIC);
  }

  private Kind reduce(Class<?> reducer) {
    return analyzer.analyzeReduce(List.of(reducer.getName()), false).map(Hazard::kind).orElse(null);
  }

  @Test
  void whatReflectionMayRunIsWhatTheConfigurationNames() throws Exception {
    JobCodeAnalyzer knowing =
        new JobCodeAnalyzer(
            getClass().getClassLoader(),
            CacheFileNames.NONE,
            List.of(HazardMappers.ScoresByTime.class.getName(), "no.such.Name"),
            property -> false);
    String mapper = HazardMappers.AsksConfiguredScorer.class.getName();
    assertThat(analyze(fixture("AsksConfiguredScorer"), false).hazard()).isEmpty();
    assertThat(analyze(fixture("AsksConfiguredScorer"), false).splitVisible()).isTrue();
    assertThat(knowing.analyzeMap(true, mapper, List.of(), true, false).hazard())
        .contains(
            new Hazard(
                Kind.DEPENDS_ON_TIME,
                "HazardMappers$ScoresByTime.score uses System.currentTimeMillis"));
    String plain = HazardMappers.ParsesDates.class.getName();
    assertThat(knowing.analyzeMap(true, plain, List.of(), true, false).hazard()).isEmpty();
  }

  @Test
  void aReduceThatUsesReflectionIsRunAgain() {
    assertThat(reduce(SampleReducers.AsksConfiguredScorer.class)).isEqualTo(Kind.UNREADABLE_CODE);
  }

  @Test
  void propertiesOfNoLineageAreOutsideData() throws Exception {
    JobCodeAnalyzer knowing =
        new JobCodeAnalyzer(
            getClass().getClassLoader(),
            CacheFileNames.NONE,
            List.of(),
            "mapreduce.job.tags"::equals);
    String mapper = HazardMappers.ReadsTags.class.getName();
    assertThat(analyze(fixture("ReadsTags"), false).hazard()).isEmpty();
    assertThat(knowing.analyzeMap(true, mapper, List.of(), true, false).hazard())
        .map(Hazard::kind)
        .contains(Kind.READS_OUTSIDE_DATA);
  }

  @ParameterizedTest
  @CsvSource({
    "Lines, ",
    "StampedLines, DEPENDS_ON_TIME",
    "ByDay, DEPENDS_ON_TIME",
    "ByKey, ",
  })
  void formatsMayOpenFilesButReadNoClock(String format, Kind kind) {
    assertThat(
            analyzer
                .analyzeFormat(SampleFormats.class.getName() + "$" + format)
                .map(Hazard::kind)
                .orElse(null))
        .isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource({
    "kotlin/collections/CollectionsKt, shuffled, (Ljava/lang/Iterable;)Ljava/util/List;, true",
    "kotlin/collections/CollectionsKt, shuffled, (Ljava/lang/Iterable;Lkotlin/random/Random;)Ljava/util/List;, false",
    "kotlin/collections/CollectionsKt, sorted, (Ljava/lang/Iterable;)Ljava/util/List;, false",
  })
  void kotlinDrawsWhereItIsGivenNoGenerator(
      String owner, String name, String descriptor, boolean draws) {
    assertThat(LibraryEffects.of(owner, name, descriptor).isPresent()).isEqualTo(draws);
  }

  @ParameterizedTest
  @CsvSource({
    "javax/crypto/Mac, false",
    "sun/misc/Unsafe, false",
    "com/sun/net/httpserver/HttpServer, false",
    "javax/ws/rs/client/ClientBuilder, true",
    "com/sun/jersey/api/client/Client, true"
  })
  void whatOnlyHasTheNameOfTheJdkIsRead(String name, boolean isRead) {
    assertThat(new CodeScope(getClass().getClassLoader()).isRead(name)).isEqualTo(isRead);
  }

  @Test
  void codeThatAJobPutsIntoHadoopsPackagesIsReadAsItsOwn(@TempDir Path jar) throws Exception {
    String helper = "org/apache/hadoop/mapred/ShippedClock";
    writeClass(jar, helper, "java/lang/Object", "now", "java/lang/System", "nanoTime");
    writeClass(
        jar,
        "org/apache/hadoop/mapred/ShippedMapper",
        "org/apache/hadoop/mapreduce/Mapper",
        "toString",
        helper,
        "now");
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}, getClass().getClassLoader())) {
      CodeTraits traits =
          new JobCodeAnalyzer(loader)
              .analyzeMap(true, "org.apache.hadoop.mapred.ShippedMapper", List.of(), false, false);
      assertThat(traits.hazard())
          .contains(new Hazard(Kind.DEPENDS_ON_TIME, "ShippedClock.now uses System.nanoTime"));
    }
  }

  /** Writes a class with one method, static unless it is toString, that calls a static one. */
  private static void writeClass(
      Path directory, String name, String superName, String method, String owner, String callee)
      throws IOException {
    boolean overrides = method.equals("toString");
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, superName, null);
    MethodVisitor code =
        writer.visitMethod(
            overrides ? Opcodes.ACC_PUBLIC : Opcodes.ACC_STATIC,
            method,
            overrides ? "()Ljava/lang/String;" : "()J",
            null,
            null);
    code.visitCode();
    code.visitMethodInsn(Opcodes.INVOKESTATIC, owner, callee, "()J", false);
    if (overrides) {
      code.visitMethodInsn(
          Opcodes.INVOKESTATIC, "java/lang/Long", "toString", "(J)Ljava/lang/String;", false);
      code.visitInsn(Opcodes.ARETURN);
    } else {
      code.visitInsn(Opcodes.LRETURN);
    }
    code.visitMaxs(0, 0);
    code.visitEnd();
    writer.visitEnd();
    Path file = directory.resolve(name + ".class");
    Files.createDirectories(file.getParent());
    Files.write(file, writer.toByteArray());
  }

  /** Serves the test's class files less one. */
  private static final class Hiding extends ClassLoader {
    private final String hidden;

    Hiding(String hiddenClass) {
      super(HazardTest.class.getClassLoader());
      this.hidden = hiddenClass.replace('.', '/') + ".class";
    }

    @Override
    public InputStream getResourceAsStream(String name) {
      return name.equals(hidden) ? null : super.getResourceAsStream(name);
    }
  }
}
