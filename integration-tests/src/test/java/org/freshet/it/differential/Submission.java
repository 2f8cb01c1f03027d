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
package org.freshet.it.differential;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.freshet.it.harness.JobOutcome;

/** The ways in which users submit a job and wait for it. */
enum Submission {
  /** {@link Job#waitForCompletion}. */
  WAIT {
    @Override
    JobOutcome run(JobConf conf) throws Exception {
      Job job = Job.getInstance(conf);
      boolean succeeded = job.waitForCompletion(false);
      return JobOutcome.of(succeeded, job.getCounters());
    }
  },
  /** {@link Job#submit}, then asking until it is over. */
  SUBMIT_AND_POLL {
    @Override
    JobOutcome run(JobConf conf) throws Exception {
      Job job = Job.getInstance(conf);
      job.submit();
      while (!job.isComplete()) {
        Thread.sleep(POLL_MILLIS);
      }
      return JobOutcome.of(job.isSuccessful(), job.getCounters());
    }
  },
  /** A {@link Tool} that is given the salt on its command line. */
  TOOL_RUNNER {
    @Override
    JobOutcome run(JobConf conf) throws Exception {
      String salt = conf.get("it.salt");
      conf.unset("it.salt");
      SubmittingTool tool = new SubmittingTool();
      ToolRunner.run(conf, tool, new String[] {"-D", "it.salt=" + salt});
      return tool.outcome;
    }
  },
  /** {@link JobClient#runJob}: throws when the job fails. */
  RUN_JOB {
    @Override
    JobOutcome run(JobConf conf) throws Exception {
      RunningJob job = JobClient.runJob(conf);
      return JobOutcome.of(job.isSuccessful(), new Counters(job.getCounters()));
    }
  },
  /** {@link JobClient#submitJob}, then waiting on the handle. */
  SUBMIT_JOB {
    @Override
    JobOutcome run(JobConf conf) throws Exception {
      try (JobClient client = new JobClient(conf)) {
        RunningJob job = client.submitJob(conf);
        job.waitForCompletion();
        return JobOutcome.of(job.isSuccessful(), new Counters(job.getCounters()));
      }
    }
  };

  private static final long POLL_MILLIS = 2;

  /**
   * Runs the job to its end.
   *
   * @throws Exception whatever the submission throws, as it comes
   */
  abstract JobOutcome run(JobConf conf) throws Exception;

  private static final class SubmittingTool extends Configured implements Tool {
    private JobOutcome outcome;

    @Override
    public int run(String[] arguments) throws Exception {
      Configuration conf = getConf();
      if (arguments.length != 0) {
        throw new IOException("expected no argument after the generic options");
      }
      Job job = Job.getInstance(conf);
      boolean succeeded = job.waitForCompletion(false);
      outcome = JobOutcome.of(succeeded, job.getCounters());
      return succeeded ? 0 : 1;
    }
  }
}
