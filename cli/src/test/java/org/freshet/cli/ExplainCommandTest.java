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
package org.freshet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.freshet.mapreduce.FreshetKeys;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is told of jobs that the engine really ran. */
class ExplainCommandTest {
  @TempDir private Path dir;
  private SmallJob job;
  private String out;
  private String err;

  @BeforeEach
  void writeInput() throws Exception {
    job = new SmallJob(dir);
    job.write(2);
  }

  @Test
  void aFirstRunMappedEverything() throws Exception {
    String id = job.run("out");
    assertThat(explain(id)).isZero();
    assertThat(out)
        .contains("job       " + id + ": small")
        .contains("output    file:" + job.output("out"))
        .contains("previous  none")
        .contains("for the first time")
        .contains(" 0 reused")
        .contains("files   2 added")
        .contains("added     file:" + job.file(0))
        .contains("by their content alone (CONTENT), because the mapper can't see")
        .doesNotContain("not cut into chunks")
        .contains("2 of 2 ran: there was no earlier run: 0-1")
        .doesNotContain("What has changed");
    assertThat(explain(job.output("out").toString() + "/")).as("by its output").isZero();
    assertThat(out).contains("job       " + id);
  }

  @Test
  void anEditedLineCostsItsChunk() throws Exception {
    String first = job.run("out-1");
    job.addWord(1, 27);
    String second = job.run("out-2");
    assertThat(explain(second)).isZero();
    assertThat(out)
        .containsPattern("previous  \\S+ \\(" + first + "\\)")
        .containsPattern("It ran incrementally: 1 of \\d\\d chunks were mapped")
        .containsPattern("chunks  (\\d+): \\d+ reused, 1 mapped, 1 not there any more")
        .contains("files   1 changed, 1 unchanged")
        .containsPattern("changed   file:" + job.file(1) + ": 1 of \\d+ chunks mapped")
        .doesNotContain(job.file(0).toString())
        .containsPattern("nodes   [1-9]\\d* combined in reduces, [1-9]\\d* memoized runs read");
  }

  @Test
  void onlyTheReduceThatGetsTheNewWordRuns() throws Exception {
    job.withoutCombiner();
    job.run("out-1");
    job.addWord(1, 27);
    String second = job.run("out-2");
    assertThat(explain(second)).isZero();
    assertThat(out)
        .containsPattern("1 of 2 copied their previous output: [^:]+: [01]\n")
        .containsPattern("1 of 2 ran: what they read has changed: [01]\n")
        .contains("nodes   0 combined in reduces");
  }

  @Test
  void aRunWithoutAChangeLaunchedNothing() throws Exception {
    job.run("out-1");
    String second = job.run("out-2");
    assertThat(explain(second)).isZero();
    assertThat(out)
        .contains("It launched nothing")
        .contains("files   2 unchanged")
        .contains(
            "2 of 2 were not launched: nothing has changed, the previous output was copied: 0-1");
  }

  @Test
  void anEditedOutputIsWrittenAnew() throws Exception {
    job.set(FreshetKeys.KEEP_OUTPUT.name(), "0");
    job.run("out-1");
    job.editOutput("out-1");
    String second = job.run("out-2");
    assertThat(explain(second)).isZero();
    assertThat(out)
        .contains("no chunk was mapped, only reduces were launched")
        .contains("why: nothing has changed, but the previous output was edited or deleted")
        .contains("2 of 2 ran, although what they read has not changed")
        .contains("freshet.keep.output.bytes");
  }

  @Test
  void aFallbackTellsItsReasonAndWhatToDo() throws Exception {
    job.mapper(SmallJob.Clock.class);
    String id = job.run("out");
    assertThat(explain(id)).isZero();
    assertThat(out)
        .contains("It ran as stock Hadoop would run it")
        .contains("why: CODE_HAZARD: the code of the job's map side may depend on more")
        .contains("DEPENDS_ON_TIME")
        .contains("SmallJob$Clock")
        .contains("what to do: If what was found can't change")
        .doesNotContain("Reduces")
        .doesNotContain("CODE_HAZARD: CODE_HAZARD");
  }

  @Test
  void aChangedPropertyIsNamed() throws Exception {
    job.set("my.threshold", "3");
    String first = job.run("out-1");
    job.set("my.threshold", "4");
    job.set("my.new", "set");
    String second = job.run("out-2");
    assertThat(explain(second)).isZero();
    assertThat(out)
        .contains("Nothing was reused: " + first)
        .contains("which had the same name, was another job. What has changed:")
        .contains("  property my.new: (not set) -> set")
        .contains("  property my.threshold: 3 -> 4")
        .doesNotContain("has other contents");
  }

  @Test
  void anotherMapperIsNamedAndSoIsWhyItSeesPlaces() throws Exception {
    job.run("out-1");
    job.mapper(SmallJob.Offsets.class);
    String second = job.run("out-2");
    assertThat(explain(second)).isZero();
    assertThat(out)
        .containsPattern("mapper class: \\S+SmallJob\\$Words -> \\S+SmallJob\\$Offsets")
        .contains("how chunks are named: CONTENT -> PLACE")
        .contains("by content, file and offset (PLACE), because")
        .contains("SmallJob$Offsets.map")
        .contains(FreshetKeys.POSITION_SENSITIVE.name() + "=false");
  }

  @Test
  void resultsThatTheStoreLostAreNotReused() throws Exception {
    String first = job.run("out-1");
    try (var files = Files.walk(job.store())) {
      for (Path file :
          files.filter(f -> f.getFileName().toString().matches("p-000000-.*idx")).toList()) {
        Files.delete(file);
      }
    }
    String second = job.run("out-2");
    assertThat(explain(second)).isZero();
    assertThat(out)
        .contains("Nothing was reused: " + first + " was the same job")
        .contains("or the store lost them");
    assertThat(explain(first)).isZero();
    assertThat(out).contains("1 of 2 have a record in the store that can't be read: 0");
  }

  @Test
  void manyFilesAreSummedUp() throws Exception {
    job.write(23);
    String id = job.run("out");
    assertThat(explain(id)).isZero();
    assertThat(out).contains("files   23 added").contains("and 3 more (--all lists them)");
    assertThat(out.lines().filter(line -> line.startsWith("    added"))).hasSize(20);
    assertThat(explain("--all", id)).isZero();
    assertThat(out.lines().filter(line -> line.startsWith("    added"))).hasSize(23);
    assertThat(out).doesNotContain("more (--all");
  }

  @Test
  void filesThatAreNotCutAreCountedByTheReason() throws Exception {
    job.write(4);
    job.gzip(1);
    job.gzip(3);
    String id = job.run("out-1");
    assertThat(explain(id)).isZero();
    assertThat(out)
        .contains("files   4 added")
        .contains("  whole   2 not cut into chunks: what GzipCodec compressed is not cut");
    assertThat(explain("--json", id)).isZero();
    assertThat(new ObjectMapper().readTree(out).at("/report/wholeFiles").elements().next().asInt())
        .isEqualTo(2);

    job.set("textinputformat.record.delimiter", "||");
    String delimited = job.run("out-2");
    assertThat(explain(delimited)).isZero();
    assertThat(out)
        .contains("  whole   4 not cut into chunks: textinputformat.record.delimiter may overlap")
        .doesNotContain("GzipCodec");
  }

  @Test
  void anUnknownJobIsAnErrorThatSaysWhereItLooked() throws Exception {
    String id = job.run("out");
    assertThat(explain("job_local_0815")).isEqualTo(1);
    assertThat(err)
        .startsWith("freshet: no report of a job with the id or output 'job_local_0815' in file:")
        .contains(job.store() + "/v1/reports")
        .contains("--store")
        .contains("The last jobs there:")
        .contains(id)
        .doesNotContain("Exception");
    assertThat(out).isEmpty();
    assertThat(explain(dir.resolve("nowhere").toString())).isEqualTo(1);
    assertThat(err).contains("nowhere").contains(id);
  }

  @Test
  void aStoreThatIsNotThereIsAnError() {
    assertThat(explain()).isEqualTo(1);
    assertThat(err).startsWith("freshet: there is no memo store at file:").contains("--store");
  }

  @Test
  void withoutAnArgumentTheLastJobsAreListed() throws Exception {
    String first = job.run("out-1");
    job.addWord(0, 3);
    String second = job.run("out-2");
    job.mapper(SmallJob.Clock.class);
    String third = job.run("out-3");
    assertThat(explain()).isZero();
    List<String> lines = out.lines().toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).startsWith("job ").contains("reused").contains("mapped");
    assertThat(lines.get(1)).startsWith(third).endsWith("stock       small (CODE_HAZARD)");
    assertThat(lines.get(2)).startsWith(second).contains(" 1  delta job   small");
    assertThat(lines.get(3)).startsWith(first).contains(" 0 ");
  }

  @Test
  void jsonHoldsTheReportAndTheOutcomes() throws Exception {
    String first = job.run("out-1");
    job.set("my.threshold", "4");
    String second = job.run("out-2");
    assertThat(explain("--json", second)).isZero();
    JsonNode json = new ObjectMapper().readTree(out);
    assertThat(json.at("/report/jobId").asText()).isEqualTo(second);
    assertThat(json.at("/report/decision").asText()).isEqualTo("INCREMENTAL");
    assertThat(json.at("/report/fileTotals/ADDED").asInt()).isEqualTo(2);
    assertThat(json.at("/before/jobId").asText()).isEqualTo(first);
    assertThat(json.at("/before/changes/0/fact").asText()).isEqualTo("property.my.threshold");
    assertThat(json.at("/before/changes/0/after").asText()).isEqualTo("4");
    assertThat(json.at("/reduces/partitions/FIRST_RUN")).hasSize(SmallJob.REDUCES);
    assertThat(explain("--json")).isZero();
    assertThat(new ObjectMapper().readTree(out).findValuesAsText("jobId"))
        .containsExactly(second, first);
  }

  @Test
  void theStoreIsToldByLineageAndRun() throws Exception {
    job.run("out-1");
    job.addWord(1, 30);
    String second = job.run("out-2");
    job.set("my.threshold", "4");
    String other = job.run("out-3");
    // Stands for a chunk index: of files that were written just now there may be none.
    Path chunks = job.store().resolve("v1/chunks");
    Path index = chunks.resolve("00/index");
    Files.createDirectories(index.getParent());
    Files.write(index, new byte[1000]);

    assertThat(execute("memo", "stats", "--json")).isZero();
    JsonNode json = new ObjectMapper().readTree(out);
    assertThat(json.get("lineages")).hasSize(2);
    assertThat(json.get("lineages").findValuesAsText("jobId"))
        .containsExactlyInAnyOrder(second, other);
    long results = 0;
    for (JsonNode lineage : json.get("lineages")) {
      results += lineage.get("bytes").asLong();
      long runs = 0;
      for (JsonNode run : lineage.get("runs")) {
        assertThat(run.get("published").asBoolean()).as("%s", run).isTrue();
        assertThat(run.get("packs").asLong()).as("%s", run).isPositive();
        runs += run.get("bytes").asLong();
      }
      // Manifests and the description stand beside the runs.
      assertThat(runs).isPositive().isLessThan(lineage.get("bytes").asLong());
      assertThat(lineage.get("runs")).hasSize(lineage.get("jobId").asText().equals(second) ? 2 : 1);
    }
    long reports = json.get("reportBytes").asLong();
    long indexes = json.get("indexBytes").asLong();
    assertThat(reports).isPositive();
    try (Stream<Path> files = Files.walk(chunks)) {
      long kept = files.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
      assertThat(indexes).isEqualTo(kept).isGreaterThanOrEqualTo(1000);
    }
    assertThat(json.get("bytes").asLong()).isEqualTo(results + reports + indexes);

    assertThat(execute("memo", "stats")).isZero();
    assertThat(out).contains("small (" + second + ")").contains("small (" + other + ")");
    int lines = (int) out.lines().count();
    assertThat(execute("memo", "stats", "--runs")).isZero();
    assertThat(out.lines().count()).isEqualTo(lines + 3);
  }

  private int explain(String... arguments) {
    List<String> all = new ArrayList<>(List.of("explain"));
    all.addAll(List.of(arguments));
    return execute(all.toArray(String[]::new));
  }

  private int execute(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--store");
    all.add(job.store().toUri().toString());
    StringWriter written = new StringWriter();
    StringWriter complained = new StringWriter();
    CommandLine freshet = FreshetCommand.commandLine();
    freshet.setOut(new PrintWriter(written, true));
    freshet.setErr(new PrintWriter(complained, true));
    int exitCode = freshet.execute(all.toArray(String[]::new));
    out = written.toString();
    err = complained.toString();
    return exitCode;
  }
}
