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
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.LocalJobRunner;
import org.apache.hadoop.mapred.YARNRunner;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.security.Credentials;
import org.freshet.hdfs.ConfigKey.InvalidValueException;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.FreshetCounters;
import org.freshet.mapreduce.FreshetKeys;
import org.freshet.mapreduce.commit.RunPublisher;
import org.freshet.mapreduce.plan.JobPlanner;
import org.freshet.mapreduce.report.JobReport;
import org.freshet.mapreduce.report.ReportStore;
import org.freshet.memo.MemoStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stock's client of the framework underneath, wrapped: jobs with nothing to do are answered here
 * and never reach it; everything else goes through. Counters of what only the client knows (that a
 * job runs as stock, and why) are added to what is asked for here.
 */
public final class IncrementalClient implements InvocationHandler {
  private static final Logger LOG = LoggerFactory.getLogger(IncrementalClient.class);
  private static final String LOCAL = MRConfig.LOCAL_FRAMEWORK_NAME;
  private static final String YARN = MRConfig.YARN_FRAMEWORK_NAME;

  private final Configuration conf;
  private volatile ClientProtocol delegate;
  private final boolean forJob;

  private final String framework;

  private final Map<JobID, UnchangedJob> unchanged = new ConcurrentHashMap<>();

  /** Why a job of this client runs as stock. */
  private final Map<JobID, FallbackReason> fallbacks = new ConcurrentHashMap<>();

  private IncrementalClient(
      Configuration conf, ClientProtocol delegate, boolean forJob, String framework) {
    this.conf = conf;
    this.delegate = delegate;
    this.forJob = forJob;
    this.framework = framework;
  }

  /**
   * Makes a client. Called by stock code for submission and for looking at jobs; only for a job
   * that connects, and when that is submitted, does it touch the configuration.
   */
  public static ClientProtocol create(Configuration conf) throws IOException {
    String framework = delegateName(conf);
    boolean forJob = conf instanceof JobConf && connecting();
    if (framework.equals(LOCAL)) {
      // As LocalClientProtocolProvider does: input formats of the old API cut by this number.
      conf.setInt(MRJobConfig.NUM_MAPS, 1);
    }
    return (ClientProtocol)
        Proxy.newProxyInstance(
            IncrementalClient.class.getClassLoader(),
            new Class<?>[] {ClientProtocol.class},
            new IncrementalClient(conf, delegate(conf, framework), forJob, framework));
  }

  /**
   * Looks at the job when it is being submitted. Stock asks for its id after it has checked the
   * output, and before it copies the job's files and asks for its splits. What is in the
   * configuration already is of a submission that failed, or was copied from the configuration of
   * another job, whose plan, output and code are not this one's.
   *
   * @throws IOException if a key has a wrong value, or {@code freshet.strict} makes it of a
   *     fallback
   */
  private void prepare() throws IOException {
    PreparedJob.forget(conf);
    JobRewrite.undo(conf);
    JobAttachment.takeBackJar(conf);
    try {
      JobAttachment.attach((JobConf) conf, framework.equals(YARN));
    } catch (FallbackException e) {
      Fallback.apply(conf, e);
    } catch (InvalidValueException e) {
      throw new IOException(e.getMessage(), e);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Freshet could not look at the job", e);
      Fallback.apply(conf, new FallbackException(FallbackReason.LINEAGE_UNKNOWN, e.toString(), e));
    } finally {
      if (framework.equals(LOCAL)) {
        // It makes the job's committer from the configuration that it was made with.
        delegate = delegate(conf, framework);
      }
    }
  }

  /** Whether stock {@code Job.connect} asks: only then is the configuration a job's own. */
  private static boolean connecting() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames.anyMatch(
                    frame ->
                        frame.getClassName().equals(Job.class.getName())
                            && frame.getMethodName().equals("connect")));
  }

  private static ClientProtocol delegate(Configuration conf, String framework) throws IOException {
    if (framework.equals(LOCAL)) {
      JobConf local = new JobConf(conf);
      local.set(MRConfig.FRAMEWORK_NAME, LOCAL);
      return new LocalJobRunner(local);
    }
    // YARNRunner reads what JobResourceUploader writes into the job's configuration: no copy.
    return new YARNRunner(conf);
  }

  /** The framework underneath: as configured, or what the cluster's own files name. */
  private static String delegateName(Configuration conf) {
    String name = FreshetKeys.DELEGATE.get(conf);
    if (name.isEmpty()) {
      JobConf cluster = new JobConf();
      name = cluster.getTrimmed(MRConfig.FRAMEWORK_NAME, LOCAL);
      if (name.equals(FreshetKeys.FRAMEWORK)) {
        boolean yarn =
            !cluster.get("yarn.resourcemanager.hostname", "0.0.0.0").equals("0.0.0.0")
                || cluster.get("yarn.resourcemanager.address", "0.0.0.0").indexOf("0.0.0.0") < 0;
        name = yarn ? YARN : LOCAL;
      }
    }
    if (!name.equals(LOCAL) && !name.equals(YARN)) {
      throw new IllegalArgumentException(
          FreshetKeys.DELEGATE.name()
              + " is '"
              + name
              + "'; expected "
              + FreshetKeys.DELEGATE.range());
    }
    return name;
  }

  /** Closes the client underneath. */
  public static void close(ClientProtocol client) throws IOException {
    if (Proxy.isProxyClass(client.getClass())
        && Proxy.getInvocationHandler(client) instanceof IncrementalClient incremental
        && incremental.delegate instanceof YARNRunner yarn) {
      yarn.close();
    }
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (forJob && method.getName().equals("getNewJobID")) {
      prepare();
    }
    if (method.getName().equals("submitJob")) {
      return submit((JobID) arguments[0], (String) arguments[1], (Credentials) arguments[2]);
    }
    UnchangedJob done =
        arguments != null && arguments.length > 0 && arguments[0] instanceof JobID id
            ? unchanged.get(id)
            : null;
    if (done != null) {
      return answer(done, method);
    }
    Object result = call(method, arguments);
    if (method.getName().equals("getJobCounters") && result instanceof Counters counters) {
      FallbackReason reason = fallbacks.get((JobID) arguments[0]);
      if (reason != null) {
        counters.findCounter(FreshetCounters.FALLBACK_GROUP, reason.name()).setValue(1);
      }
    }
    return result;
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(delegate, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static Object answer(UnchangedJob job, Method method) {
    return switch (method.getName()) {
      case "getJobStatus" -> job.status();
      case "getJobCounters" -> job.counters();
      case "getTaskReports" -> new TaskReport[0];
      case "getTaskCompletionEvents" -> new TaskCompletionEvent[0];
      case "getTaskDiagnostics" -> new String[0];
      case "killJob", "setJobPriority" -> null;
      default ->
          throw new IllegalStateException(
              job.status().getJobID()
                  + " was answered from memoized results; it has no "
                  + method.getName());
    };
  }

  private JobStatus submit(JobID id, String submitDir, Credentials credentials)
      throws IOException, InterruptedException {
    if (!forJob) {
      noteFallback(
          id, FallbackReason.PREPARED_CLUSTER, FallbackReason.PREPARED_CLUSTER.description());
    } else if (Fallback.reason(conf) != null) {
      noteFallback(id, Fallback.reason(conf), Fallback.detail(conf));
    } else {
      requirePlanned();
      requireFilesUnchanged();
      if (JobPlanner.unchanged((JobConf) conf)) {
        String notified = conf.get(MRJobConfig.MR_JOB_END_NOTIFICATION_URL);
        if (notified == null) {
          UnchangedJob job = new UnchangedJob((JobConf) conf, id, submitDir);
          if (job.publishOutput()) {
            unchanged.put(id, job);
            PreparedJob.forget(conf);
            return job.status();
          }
        }
        noteLaunched(
            id,
            notified == null
                ? "nothing has changed, but the previous output was edited or deleted, and no copy"
                    + " of it is kept"
                : "nothing has changed, but what ends has to notify " + notified);
      }
    }
    boolean submitted = false;
    try {
      JobStatus status = delegate.submitJob(id, submitDir, credentials);
      submitted = true;
      PreparedJob.forget(conf);
      return status;
    } finally {
      if (!submitted) {
        RunPublisher.abandoned(conf);
      }
    }
  }

  /** A job that took Freshet's input format out again has no plan, but all the rest of Freshet. */
  private void requirePlanned() throws IOException {
    List<String> overridden = JobRewrite.overridden(conf);
    if (!overridden.isEmpty()) {
      RunPublisher.abandoned(conf);
      throw new IOException(
          "The job set "
              + String.join(", ", overridden)
              + " while it was being submitted; it must do so before.");
    }
  }

  private void requireFilesUnchanged() throws IOException {
    Optional<String> changed = CacheFileWatch.changed(conf);
    if (changed.isPresent()) {
      RunPublisher.abandoned(conf);
      throw new IOException(
          "The job's file "
              + changed.get()
              + " changed while the job was being submitted. Submit the job again.");
    }
  }

  private void noteFallback(JobID id, FallbackReason reason, String detail) {
    fallbacks.put(id, reason);
    if (reason == FallbackReason.DISABLED) {
      return;
    }
    try {
      String output = conf.get("mapreduce.output.fileoutputformat.outputdir");
      if (output != null) {
        Path path = new Path(output);
        output = path.getFileSystem(conf).makeQualified(path).toString();
      }
      reports()
          .write(
              JobReport.stock(
                  id.toString(), conf.get(MRJobConfig.JOB_NAME, ""), output, reason, detail));
    } catch (IOException | RuntimeException e) {
      LOG.debug("no report of {}: {}", id, e.toString());
    }
  }

  /** Corrects the report of a job that was planned to launch nothing. */
  private void noteLaunched(JobID id, String why) {
    try {
      ReportStore reports = reports();
      Optional<JobReport> planned = reports.ofJob(id.toString());
      if (planned.isPresent()) {
        reports.write(planned.get().launchedAllTheSame(why));
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("the report of {} is not corrected: {}", id, e.toString());
    }
  }

  private ReportStore reports() throws IOException {
    MemoStore store = MemoStore.open(conf, FreshetKeys.store(conf));
    return new ReportStore(store.fileSystem(), store.root());
  }
}
