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

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.TaskAttemptContext;
import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobPriority;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.security.UserGroupInformation;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.commit.RunPublisher;
import org.freshet.mapreduce.plan.ReducePlan;
import org.freshet.mapreduce.plan.RunPlaces;
import org.freshet.mapreduce.reduce.PartitionRecord;
import org.freshet.mapreduce.reduce.ReduceOutput;
import org.freshet.memo.CounterSet;
import org.freshet.memo.PartitionFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job whose input is what it was: nothing is launched. The previous output is checked, copied and
 * committed with the job's own committer; status and counters are those of a job that succeeded.
 * (No history file is written: there is no application that could.)
 */
final class UnchangedJob {
  private static final Logger LOG = LoggerFactory.getLogger(UnchangedJob.class);
  private static final int MAX_THREADS = 8;

  private final JobConf conf;
  private final JobConf view;
  private final JobID id;
  private final Path submitDir;
  private final Path lineageDir;
  private final FileSystem store;
  private final long started = System.currentTimeMillis();
  private final Counters counters = new Counters();
  private JobStatus status;

  UnchangedJob(JobConf conf, JobID id, String submitDir) throws IOException {
    this.conf = conf;
    this.id = id;
    this.submitDir = new Path(submitDir);
    view = JobRewrite.userView(conf);
    view.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 1);
    lineageDir = RunPlaces.lineageDir(conf);
    store = lineageDir.getFileSystem(conf);
  }

  JobStatus status() {
    return status;
  }

  Counters counters() {
    return counters;
  }

  /**
   * Puts the previous output in place.
   *
   * @return false if it is not intact; nothing is left behind then, and the job must be submitted
   */
  boolean publishOutput() throws IOException, InterruptedException {
    ReducePlan plan = ReducePlan.read(store, RunPlaces.reducePlan(RunPlaces.runDir(conf)));
    List<PartitionRecord> records = new ArrayList<>();
    try {
      for (String name : plan.previousPartitions()) {
        try (PartitionFile file = PartitionFile.open(store, new Path(lineageDir, name))) {
          records.add(PartitionRecord.of(file.record()));
        }
      }
    } catch (IOException e) {
      LOG.warn("The last run's results can't be read, the job runs: {}", e.toString());
      return false;
    }
    if (records.stream().anyMatch(record -> record.output() == null)) {
      return false;
    }
    JobContext context = new JobContextImpl(view, id);
    OutputCommitter committer = committer(attempt(0));
    boolean done = false;
    committer.setupJob(context);
    try {
      done = copyAll(records, plan.previousOutput());
      if (done) {
        committer.commitJob(context);
      }
    } finally {
      if (!done) {
        committer.abortJob(context, JobStatus.State.FAILED);
      }
    }
    if (!done) {
      LOG.info("The input is unchanged, but the previous output is not intact: the reduces run");
      return false;
    }
    count(plan, records);
    new RunPublisher(conf).publishUnchanged(plan.previousPartitions());
    submitDir.getFileSystem(conf).delete(submitDir, true);
    status = succeeded();
    LOG.info(
        "{}: nothing has changed; the output was copied in {} ms and nothing was launched",
        id,
        System.currentTimeMillis() - started);
    return true;
  }

  private boolean copyAll(List<PartitionRecord> records, String previousOutput)
      throws InterruptedException {
    ExecutorService pool =
        Executors.newFixedThreadPool(Math.max(1, Math.min(MAX_THREADS, records.size())));
    try {
      CompletionService<Boolean> copies = new ExecutorCompletionService<>(pool);
      for (int p = 0; p < records.size(); p++) {
        copies.submit(copy(p, records.get(p), previousOutput));
      }
      // The first that fails decides; it may take long to find that the others do, too.
      for (int p = 0; p < records.size(); p++) {
        if (!copies.take().get()) {
          return false;
        }
      }
      return true;
    } catch (ExecutionException e) {
      LOG.warn("The previous output can't be copied: {}", e.getCause().toString());
      return false;
    } finally {
      pool.shutdownNow();
      // What still goes on would write into the output of the job that runs instead.
      pool.awaitTermination(1, TimeUnit.MINUTES);
    }
  }

  private Callable<Boolean> copy(int partition, PartitionRecord record, String previousOutput) {
    return () -> {
      TaskAttemptContext context = attempt(partition);
      OutputCommitter committer = committer(context);
      committer.setupTask(context);
      Optional<ReduceOutput> output =
          ReduceOutput.of(context.getJobConf(), context.getTaskAttemptID());
      if (output.isEmpty()
          || !output
              .get()
              .fetch(
                  record.output(),
                  previousOutput,
                  store,
                  lineageDir,
                  context.getJobConf(),
                  () -> {})) {
        return false;
      }
      output.get().replace();
      if (committer.needsTaskCommit(context)) {
        committer.commitTask(context);
      }
      return true;
    };
  }

  private TaskAttemptContext attempt(int partition) {
    TaskAttemptID attempt =
        new TaskAttemptID(
            new org.apache.hadoop.mapred.TaskID(
                org.apache.hadoop.mapred.JobID.downgrade(id), TaskType.REDUCE, partition),
            0);
    JobConf task = new JobConf(view);
    task.set(MRJobConfig.TASK_ATTEMPT_ID, attempt.toString());
    task.set(MRJobConfig.TASK_ID, attempt.getTaskID().toString());
    task.setInt(MRJobConfig.TASK_PARTITION, partition);
    task.setBoolean(MRJobConfig.TASK_ISMAP, false);
    return new TaskAttemptContextImpl(task, attempt);
  }

  private OutputCommitter committer(TaskAttemptContext context)
      throws IOException, InterruptedException {
    return view.getUseNewReducer()
        ? JobRewrite.newOutputFormat(view).getOutputCommitter(context)
        : view.getOutputCommitter();
  }

  private void count(ReducePlan plan, List<PartitionRecord> records) {
    add(plan.counted());
    add(plan.restored());
    records.forEach(record -> add(record.reduceCounters()));
    counters
        .findCounter(FreshetCounters.GROUP, FreshetCounters.REDUCES_REUSED)
        .increment(records.size());
  }

  private void add(CounterSet set) {
    set.forEach((group, name, value) -> counters.findCounter(group, name).increment(value));
  }

  private JobStatus succeeded() throws IOException {
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    JobStatus succeeded =
        new JobStatus(
            id,
            1f,
            1f,
            1f,
            1f,
            JobStatus.State.SUCCEEDED,
            JobPriority.NORMAL,
            user,
            conf.getJobName(),
            conf.getQueueName(),
            new Path(submitDir, "job.xml").toString(),
            "(nothing was launched)");
    return succeeded;
  }
}
