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
package org.apache.spark.scheduler.drizzle

import java.util.concurrent.{SynchronousQueue, ThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.LongAdder

import org.apache.spark.executor.{Executor, ExecutorSource}

/** The threads of an executor's tasks, as Spark has them, but that a task may follow another on its thread. Spark's own hand
  * each to another thread than that on which one has just ended; to wake it and to wait takes a small task's executor
  * a third of its time. Safe for use by several threads.
  *
  * @param spark whose tasks go on; like these, but for that
  * @param comes told of each task that is handed over, by its id
  */
private[drizzle] final class TaskThreads(spark: ThreadPoolExecutor, comes: Long => Unit)
    extends ThreadPoolExecutor(
      spark.getCorePoolSize,
      spark.getMaximumPoolSize,
      spark.getKeepAliveTime(TimeUnit.NANOSECONDS),
      TimeUnit.NANOSECONDS,
      new SynchronousQueue[Runnable],
      spark.getThreadFactory,
      spark.getRejectedExecutionHandler
    ) {

  /** What follows on a thread; empty where that may still be said. */
  private val following = new ThreadLocal[Option[Runnable]]

  /** Whether a thread is one of these and has a task. */
  private val isRunning = new ThreadLocal[Boolean]
  private val followed = new LongAdder

  /** What is executed meanwhile begins on this thread when its task has ended, if it is one of these; no more than one.
    */
  def follow(executing: => Unit): Unit = {
    if (isRunning.get) {
      following.set(None)
    }
    try executing
    finally
      if (following.get == None) {
        following.remove()
      }
  }

  override def execute(task: Runnable): Unit = {
    task match {
      case runner: Executor#TaskRunner => comes(runner.taskId)
      case _                           => ()
    }
    if (following.get == None && !isShutdown) following.set(Some(task)) else super.execute(task)
  }

  override protected def beforeExecute(thread: Thread, task: Runnable): Unit = isRunning.set(true)

  override protected def afterExecute(ended: Runnable, failure: Throwable): Unit = {
    var next = takeFollowing()
    while (next.isDefined) {
      if (failure == null) {
        followed.increment()
        // As between tasks that are handed to the pool.
        if (!isShutdown) Thread.interrupted()
        next.get.run()
      } else {
        // This thread ends.
        super.execute(next.get)
      }
      next = takeFollowing()
    }
    isRunning.set(false)
  }

  override def shutdown(): Unit = {
    spark.shutdown()
    super.shutdown()
  }

  private def takeFollowing(): Option[Runnable] = {
    val next = Option(following.get).flatten
    following.remove()
    next
  }

  override def getTaskCount: Long = super.getTaskCount + followed.sum + spark.getTaskCount

  override def getCompletedTaskCount: Long =
    super.getCompletedTaskCount + followed.sum + spark.getCompletedTaskCount

  override def getActiveCount: Int = super.getActiveCount + spark.getActiveCount

  override def getPoolSize: Int = super.getPoolSize + spark.getPoolSize
}

private[drizzle] object TaskThreads {
  private lazy val ofExecutor = Private.field(classOf[Executor], "threadPool")
  private lazy val ofSource = Private.field(classOf[ExecutorSource], "threadPool")
  private lazy val source = Private.field(classOf[Executor], "executorSource")

  /** An executor's tasks are run by these from now on, and what its metrics say of its threads is said of them.
    *
    * @param comes told of each, by its id
    */
  def install(executor: Executor, comes: Long => Unit): TaskThreads = {
    val threads = new TaskThreads(ofExecutor.get(executor).asInstanceOf[ThreadPoolExecutor], comes)
    ofSource.set(source.get(executor), threads)
    ofExecutor.set(executor, threads)
    threads
  }

  /** Whether this Spark has what is needed. */
  def check(): Unit = Seq(ofExecutor, ofSource, source).foreach(_ => ())
}
