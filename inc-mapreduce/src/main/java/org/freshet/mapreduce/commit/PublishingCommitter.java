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
package org.freshet.mapreduce.commit;

import java.io.IOException;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * The job's own committer, and after its commit the publication of the run. Only the application
 * master (or the local job runner) has it; tasks get the original, so that user code finds the
 * class it expects.
 */
final class PublishingCommitter extends OutputCommitter {
  private final OutputCommitter delegate;

  PublishingCommitter(OutputCommitter delegate) {
    this.delegate = delegate;
  }

  @Override
  public void setupJob(JobContext context) throws IOException {
    delegate.setupJob(context);
  }

  @Override
  public void commitJob(JobContext context) throws IOException {
    delegate.commitJob(context);
    RunPublisher.committed(context.getConfiguration());
  }

  @Override
  public void abortJob(JobContext context, JobStatus.State state) throws IOException {
    try {
      delegate.abortJob(context, state);
    } finally {
      RunPublisher.aborted(context.getConfiguration());
    }
  }

  @Override
  @Deprecated
  public void cleanupJob(JobContext context) throws IOException {
    delegate.cleanupJob(context);
  }

  @Override
  public boolean isCommitJobRepeatable(JobContext context) throws IOException {
    return delegate.isCommitJobRepeatable(context);
  }

  @Override
  public void setupTask(TaskAttemptContext context) throws IOException {
    delegate.setupTask(context);
  }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
    return delegate.needsTaskCommit(context);
  }

  @Override
  public void commitTask(TaskAttemptContext context) throws IOException {
    delegate.commitTask(context);
  }

  @Override
  public void abortTask(TaskAttemptContext context) throws IOException {
    delegate.abortTask(context);
  }

  @Override
  @Deprecated
  public boolean isRecoverySupported() {
    return delegate.isRecoverySupported();
  }

  @Override
  public boolean isRecoverySupported(JobContext context) throws IOException {
    return delegate.isRecoverySupported(context);
  }

  @Override
  public void recoverTask(TaskAttemptContext context) throws IOException {
    delegate.recoverTask(context);
  }
}
