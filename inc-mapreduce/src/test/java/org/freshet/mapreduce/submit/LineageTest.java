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
package org.freshet.mapreduce.submit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.map.InverseMapper;
import org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.slider.Digest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What tells two jobs apart, and what does not. */
class LineageTest {
  @TempDir private java.nio.file.Path temporary;
  private JobConf job;

  @BeforeEach
  void makeJob() {
    job = wordCount();
  }

  private static JobConf wordCount() {
    JobConf job = new JobConf();
    job.setUseNewMapper(true);
    job.setUseNewReducer(true);
    job.setNumReduceTasks(2);
    job.setClass(
        MRJobConfig.MAP_CLASS_ATTR,
        TokenCounterMapper.class,
        org.apache.hadoop.mapreduce.Mapper.class);
    job.setClass(
        MRJobConfig.COMBINE_CLASS_ATTR,
        IntSumReducer.class,
        org.apache.hadoop.mapreduce.Reducer.class);
    job.setClass(
        MRJobConfig.REDUCE_CLASS_ATTR,
        IntSumReducer.class,
        org.apache.hadoop.mapreduce.Reducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    return job;
  }

  private static Lineage lineage(JobConf job) throws FallbackException {
    return LineageReader.read(job, JobClasses.of(job), Map.of("leafNaming", "CONTENT"));
  }

  private String uri(String name, String content) throws IOException {
    return Files.writeString(temporary.resolve(name), content).toUri().toString();
  }

  @Test
  void theSameJobHasTheSameLineage() throws Exception {
    assertThat(lineage(job)).isEqualTo(lineage(wordCount()));
  }

  @ParameterizedTest
  @CsvSource({
    "mapreduce.job.name, other",
    "mapreduce.job.queuename, other",
    "mapreduce.map.memory.mb, 4096",
    "mapreduce.reduce.memory.mb, 4096",
    "mapreduce.task.io.sort.mb, 7",
    "mapreduce.map.java.opts, -Xmx3g -XX:+UseSerialGC",
    "mapreduce.job.maps, 99",
    "mapreduce.input.fileinputformat.inputdir, /other",
    "mapreduce.output.fileoutputformat.outputdir, /other",
    "mapreduce.job.ubertask.enable, true",
    "freshet.retain.runs, 9",
    "yarn.app.mapreduce.am.resource.mb, 9",
    "mapreduce.job.user.name, other"
  })
  void whatPlacesNamesOrSizesARunDoesNotChangeItsLineage(String name, String value)
      throws Exception {
    Lineage before = lineage(job);
    job.set(name, value);

    assertThat(lineage(job)).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({
    "my.threshold, 5",
    "mapreduce.job.reduces, 3",
    "mapreduce.map.java.opts, -Dmy.flag=1",
    "mapreduce.map.output.compress, true",
    "textinputformat.record.delimiter, ;",
    "mapreduce.job.output.key.comparator.class, org.apache.hadoop.io.Text$Comparator",
    "mapreduce.job.partitioner.class, org.apache.hadoop.mapreduce.lib.partition.HashPartitioner"
  })
  void whatUserCodeOrStoredRunsDependOnChangesTheLineage(String name, String value)
      throws Exception {
    Lineage before = lineage(job);
    job.set(name, value);

    assertThat(lineage(job).id()).isNotEqualTo(before.id());
  }

  @Test
  void anotherMapperOrNamingOfLeavesIsAnotherLineage() throws Exception {
    Lineage before = lineage(job);
    assertThat(LineageReader.read(job, JobClasses.of(job), Map.of("leafNaming", "PLACE")).id())
        .isNotEqualTo(before.id());

    job.setClass(
        MRJobConfig.MAP_CLASS_ATTR, InverseMapper.class, org.apache.hadoop.mapreduce.Mapper.class);

    assertThat(lineage(job).id()).isNotEqualTo(before.id());
  }

  @Test
  void memoryAmongOtherJvmOptionsIsLeftOut() throws Exception {
    job.set("mapreduce.map.java.opts", "-Xmx1g -Dmy.flag=1 -XX:+UseSerialGC");
    Lineage before = lineage(job);
    job.set("mapreduce.map.java.opts", "-Dmy.flag=1  -Xmx2g");

    assertThat(lineage(job)).isEqualTo(before);
  }

  private void site(JobConf conf, String name, String value) throws IOException {
    java.nio.file.Path site = temporary.resolve("mapred-site.xml");
    Files.writeString(
        site,
        "<configuration><property><name>%s</name><value>%s</value></property></configuration>"
            .formatted(name, value));
    conf.addResource(new Path(site.toUri()));
  }

  @Test
  void whatTheClustersOwnFilesSayDoesNotChangeTheLineage() throws Exception {
    Lineage before = lineage(job);
    site(job, "hadoop.security.my.service", "5");

    assertThat(job.get("hadoop.security.my.service")).isEqualTo("5");
    assertThat(lineage(job)).isEqualTo(before);
  }

  @Test
  void whatAProgramsOwnFileSaysChangesTheLineageWhateverItIsCalled() throws Exception {
    Lineage before = lineage(job);
    java.nio.file.Path own = temporary.resolve("my-app-site.xml");
    Files.writeString(
        own,
        "<configuration><property><name>my.threshold</name><value>4</value></property>"
            + "</configuration>");
    job.addResource(new Path(own.toUri()));

    assertThat(lineage(job).id()).isNotEqualTo(before.id());
  }

  @ParameterizedTest
  @ValueSource(strings = {"mapreduce.output.textoutputformat.separator", "my.own.setting"})
  void whatSiteFilesSayOfResultsChangesTheLineage(String name) throws Exception {
    Lineage before = lineage(job);
    site(job, name, "5");

    assertThat(lineage(job).id()).isNotEqualTo(before.id());
  }

  @Test
  void storedRunsOfAnotherCompressionAreNeverSharedWhereverItWasSet() throws Exception {
    Lineage plain = lineage(job);
    site(job, MRJobConfig.MAP_OUTPUT_COMPRESS, "true");
    Lineage compressed = lineage(job);
    JobConf other = wordCount();
    other.addResource(new Path(temporary.resolve("mapred-site.xml").toUri()));
    java.nio.file.Path codec = temporary.resolve("codec-site.xml");
    Files.writeString(
        codec,
        "<configuration><property><name>%s</name><value>%s</value></property></configuration>"
            .formatted(MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC, GzipCodec.class.getName()));
    other.addResource(new Path(codec.toUri()));

    assertThat(compressed.id()).isNotEqualTo(plain.id());
    assertThat(lineage(other).id()).isNotIn(plain.id(), compressed.id());
  }

  @Test
  void variablesCountByTheirValues() throws Exception {
    job.set("my.path", "/data/${my.day}");
    job.set("my.day", "1");
    String text = lineage(job).text();

    assertThat(Lineage.facts(text)).containsEntry("property.my.path", "/data/1");
  }

  @Test
  void aCacheFileCountsByItsContentAndLinkNotByItsPlace() throws Exception {
    job.set(MRJobConfig.CACHE_FILES, uri("dict", "one") + "#words");
    Lineage before = lineage(job);

    job.set(MRJobConfig.CACHE_FILES, uri("moved dict", "one") + "#words");
    assertThat(lineage(job)).isEqualTo(before);
    job.set(MRJobConfig.CACHE_FILES, uri("dict", "one") + "#other");
    assertThat(lineage(job).id()).isNotEqualTo(before.id());
    job.set(MRJobConfig.CACHE_FILES, uri("dict", "two") + "#words");
    assertThat(lineage(job).id()).isNotEqualTo(before.id());
  }

  @Test
  void filesOfTheCommandLineCountLikeCacheFiles() throws Exception {
    Lineage without = lineage(job);
    job.set("tmpfiles", uri("dict", "one") + "," + uri("dict2", "two"));
    Lineage with = lineage(job);
    job.set("tmpfiles", uri("dict", "one") + "," + uri("dict2", "three"));

    assertThat(with.id()).isNotEqualTo(without.id());
    assertThat(lineage(job).id()).isNotIn(with.id(), without.id());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        MRJobConfig.FILES_FOR_SHARED_CACHE,
        MRJobConfig.FILES_FOR_CLASSPATH_AND_SHARED_CACHE,
        MRJobConfig.ARCHIVES_FOR_SHARED_CACHE
      })
  void filesForASharedCacheCountByTheirContentNotByTheirPlace(String property) throws Exception {
    job.set(property, uri("dict", "one") + "#words");
    Lineage before = lineage(job);

    job.set(property, uri("moved", "one") + "#words");
    assertThat(lineage(job)).isEqualTo(before);
    job.set(property, uri("dict", "two") + "#words");
    assertThat(lineage(job).id()).isNotEqualTo(before.id());
  }

  @Test
  void freshetsOwnJarDoesNotCount() throws Exception {
    Lineage before = lineage(job);
    job.set("tmpjars", uri("freshet-hadoop-0.1.0.jar", "our code"));

    assertThat(lineage(job)).isEqualTo(before);
  }

  @Test
  void aCacheFileThatIsGoneIsAReasonToRunAsStock() {
    job.set(MRJobConfig.CACHE_FILES, temporary.resolve("gone").toUri().toString());

    assertThatThrownBy(() -> lineage(job))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.LINEAGE_UNKNOWN))
        .hasMessageContaining("gone");
  }

  @Test
  void aClassThatIsGoneIsAReasonToRunAsStock() {
    job.set(MRJobConfig.MAP_CLASS_ATTR, "no.such.Mapper");

    assertThatThrownBy(() -> lineage(job))
        .isInstanceOf(FallbackException.class)
        .hasMessageContaining("no.such.Mapper");
  }

  private void jar(String name, long time, Map<String, String> entries) throws IOException {
    try (OutputStream out = Files.newOutputStream(temporary.resolve(name));
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, String> entry : entries.entrySet()) {
        ZipEntry zipEntry = new ZipEntry(entry.getKey());
        zipEntry.setTime(time);
        zip.putNextEntry(zipEntry);
        zip.write(entry.getValue().getBytes(UTF_8));
      }
    }
  }

  private static Map<String, String> entries(String... namesAndContents) {
    Map<String, String> entries = new LinkedHashMap<>();
    for (int i = 0; i < namesAndContents.length; i += 2) {
      entries.put(namesAndContents[i], namesAndContents[i + 1]);
    }
    return entries;
  }

  @Test
  void theJobsJarCountsByItsEntriesNotByWhenOrInWhatOrderItWasBuilt() throws Exception {
    jar("a.jar", 1_000_000_000_000L, entries("A.class", "a", "B.class", "b"));
    jar("b.jar", 1_500_000_000_000L, entries("B.class", "b", "A.class", "a"));
    jar("c.jar", 1_000_000_000_000L, entries("A.class", "a", "B.class", "B"));
    jar("d.jar", 1_000_000_000_000L, entries("A.class", "b", "B.class", "a"));

    Digest first = ofJar("a.jar");

    assertThat(ofJar("b.jar")).isEqualTo(first);
    assertThat(ofJar("c.jar")).isNotEqualTo(first);
    assertThat(ofJar("d.jar")).isNotEqualTo(first);
  }

  private Digest ofJar(String name) throws FallbackException {
    job.setJar(temporary.resolve(name).toString());
    return lineage(job).id();
  }

  @Test
  void aJarThatIsRewrittenIsReadAgain() throws Exception {
    jar("a.jar", 1_000_000_000_000L, entries("A.class", "a"));
    Digest before = ofJar("a.jar");
    jar("a.jar", 1_000_000_000_000L, entries("A.class", "b"));

    assertThat(ofJar("a.jar")).isNotEqualTo(before);
  }

  @Test
  void aJarOfTheSameLengthAndTimeIsReadAgain() throws Exception {
    java.nio.file.Path jar = temporary.resolve("a.jar");
    FileTime built = FileTime.fromMillis(1_000_000_000_000L);
    jar("a.jar", built.toMillis(), entries("A.class", "a"));
    Files.setLastModifiedTime(jar, built);
    long length = Files.size(jar);
    Digest before = ofJar("a.jar");
    jar("a.jar", built.toMillis(), entries("A.class", "b"));
    Files.setLastModifiedTime(jar, built);

    assertThat(jar).hasSize(length);
    assertThat(ofJar("a.jar")).isNotEqualTo(before);
  }

  @Test
  void aClassThatAPropertyNamesCountsByItsCode() throws Exception {
    job.set("my.plugins", "some.text, " + LineageTest.class.getName() + ";other.text");

    assertThat(Lineage.facts(lineage(job).text()))
        .containsEntry(
            "code.of." + LineageTest.class.getName(),
            ContentDigests.codeOf(LineageTest.class, job).hex())
        .doesNotContainKeys("code.of.some.text", "code.of." + TokenCounterMapper.class.getName());
  }

  @Test
  void directoriesCountByNamesAndContents() throws Exception {
    Files.createDirectories(temporary.resolve("dir/sub"));
    Files.writeString(temporary.resolve("dir/sub/a"), "one");
    Path dir = new Path(temporary.resolve("dir").toUri());
    Digest before = ContentDigests.tree(dir, job);

    Files.move(temporary.resolve("dir/sub/a"), temporary.resolve("dir/sub/b"));
    Digest renamed = ContentDigests.tree(dir, job);
    Files.move(temporary.resolve("dir/sub/b"), temporary.resolve("dir/a"));

    assertThat(renamed).isNotEqualTo(before);
    assertThat(ContentDigests.tree(dir, job)).isNotIn(before, renamed);
  }

  @Test
  void whatIsNoArchiveCountsByItsBytes() throws Exception {
    Files.writeString(temporary.resolve("not.jar"), "not a zip file");

    assertThat(ContentDigests.archive(new Path(temporary.resolve("not.jar").toString()), job))
        .isEqualTo(Digest.sha256("not a zip file".getBytes(UTF_8)));
  }

  @Test
  void codeOfTheJdkStandsForItsVersionAndOtherCodeForItself() throws Exception {
    assertThat(ContentDigests.codeOf(String.class, job))
        .isEqualTo(ContentDigests.codeOf(java.util.List.class, job))
        .isNotEqualTo(ContentDigests.codeOf(Text.class, job));
    assertThat(ContentDigests.codeOf(LineageTest.class, job))
        .isEqualTo(ContentDigests.codeOf(JobRewriteTest.class, job))
        .isNotEqualTo(ContentDigests.codeOf(Lineage.class, job));
  }

  @Test
  void factsAreReadBackFromTheText() {
    Lineage lineage = Lineage.of(Map.of("property.b", "2 = two", "class.a", "A", "empty", ""));

    assertThat(lineage.text()).startsWith("class.a=A\n");
    assertThat(Lineage.facts(lineage.text()))
        .isEqualTo(Map.of("class.a", "A", "property.b", "2 = two", "empty", ""));
  }

  @Test
  void factsWithLineEndsBackslashesAndEqualSignsAreReadBackToo() {
    Map<String, String> odd = Map.of("a=b\\", "c=d\\\n\r\\n", "\n", "\\", "x", "=");

    assertThat(Lineage.facts(Lineage.of(odd).text())).isEqualTo(odd);
  }

  @Test
  void noValueCanPoseAsAnotherFact() {
    Lineage two = Lineage.of(Map.of("a", "1", "b", "2"));

    assertThat(Lineage.of(Map.of("a", "1\nb=2")).id()).isNotEqualTo(two.id());
    assertThat(Lineage.of(Map.of("a", "1\\nb=2")).id())
        .isNotEqualTo(Lineage.of(Map.of("a", "1\nb=2")).id());
    assertThat(Lineage.of(Map.of("a", "1\r")).id()).isNotEqualTo(Lineage.of(Map.of("a", "1")).id());
  }

  @Test
  void noNamePosesAsPartOfAValue() {
    assertThat(Lineage.of(Map.of("a=b", "c")).id())
        .isNotEqualTo(Lineage.of(Map.of("a", "b=c")).id());
    assertThat(Lineage.of(Map.of("a\nb", "c")).id())
        .isNotEqualTo(Lineage.of(Map.of("a", "", "b", "c")).id());
  }
}
