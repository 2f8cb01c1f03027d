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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.freshet.cli.explain.Explainer;
import org.freshet.cli.explain.ExplanationText;
import org.freshet.cli.explain.JobLine;
import org.freshet.mapreduce.report.JobReport;
import org.freshet.memo.MemoStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code freshet explain}. */
@Command(
    name = "explain",
    description = {
      "Tells what a job reused, what it did again, and why.",
      "Without an argument, lists the jobs that ran last."
    },
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "For example: freshet explain job_1700000000000_0001",
      "             freshet explain --local out"
    })
final class ExplainCommand implements Callable<Integer> {
  private static final int RECENT = 20;

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "JOB",
      description = "A job's id, or its output directory: then the last job that wrote there.")
  private String job;

  @Option(names = "--all", description = "List every file, or every job, not only the first 20.")
  private boolean all;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    Configuration conf = store.configuration();
    MemoStore memo = StoreOptions.open(conf);
    Explainer explainer = new Explainer(memo, conf);
    PrintWriter out = spec.commandLine().getOut();
    if (job == null) {
      list(explainer, out);
    } else {
      Optional<JobReport> report = explainer.find(job);
      explain(explainer, report.orElseThrow(() -> unknown(explainer)), out);
    }
    out.flush();
    return 0;
  }

  private void explain(Explainer explainer, JobReport report, PrintWriter out) throws IOException {
    out.print(
        json
            ? JSON.writeValueAsString(explainer.explain(report)) + System.lineSeparator()
            : ExplanationText.render(explainer.explain(report), all ? Integer.MAX_VALUE : RECENT));
  }

  private void list(Explainer explainer, PrintWriter out) throws IOException {
    List<JobLine> jobs = explainer.recent(all ? Integer.MAX_VALUE : RECENT);
    if (json) {
      out.println(JSON.writeValueAsString(jobs));
    } else if (jobs.isEmpty()) {
      out.println("There is no report of a job in " + explainer.reports() + ".");
    } else {
      out.print(JobLine.table(jobs));
    }
  }

  private IOException unknown(Explainer explainer) {
    StringBuilder message = new StringBuilder();
    message.append("no report of a job with the id or output '").append(job).append("' in ");
    message.append(explainer.reports());
    message.append(
        "; --store, --local or HADOOP_CONF_DIR name another store. Only jobs submitted through"
            + " Freshet with freshet.enabled=true leave a report.");
    try {
      List<JobLine> jobs = explainer.recent(RECENT);
      if (!jobs.isEmpty()) {
        message.append(" The last jobs there:").append(System.lineSeparator());
        message.append(JobLine.table(jobs).stripTrailing());
      }
    } catch (IOException e) {
      message.append(" (Its jobs can't be listed: ").append(e.getMessage()).append(")");
    }
    return new IOException(message.toString());
  }
}
