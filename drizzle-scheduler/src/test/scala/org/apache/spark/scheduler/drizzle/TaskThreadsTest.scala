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

import java.util.concurrent.{CountDownLatch, ExecutorService, Executors, LinkedBlockingQueue}
import java.util.concurrent.{RejectedExecutionException, ThreadPoolExecutor, TimeUnit}

import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.{AfterEach, Test, Timeout}

@Timeout(60)
final class TaskThreadsTest {
  private val spark = Executors
    .newCachedThreadPool { (run: Runnable) =>
      val thread = new Thread(run)
      // What fails here is meant to.
      thread.setUncaughtExceptionHandler((_, _) => ())
      thread
    }
    .asInstanceOf[ThreadPoolExecutor]
  private val threads = new TaskThreads(spark, _ => ())
  private val ran = new LinkedBlockingQueue[(String, Thread)]

  @AfterEach
  def stop(): Unit = Seq[ExecutorService](threads, spark).foreach(_.shutdownNow())

  private def task(name: String)(more: => Unit): Runnable = () => {
    ran.add(name -> Thread.currentThread)
    more
  }

  private def next(): (String, Thread) = ran.poll(30, TimeUnit.SECONDS)

  @Test
  def aTaskFollowsOnTheSameThread(): Unit = {
    def chain(left: Int): Runnable = task(left.toString) {
      if (left > 0) {
        threads.follow(threads.execute(chain(left - 1)))
      }
    }
    threads.execute(chain(1000))
    val all = Seq.fill(1001)(next())
    assertThat(all.map(_._1)).isEqualTo((0 to 1000).reverse.map(_.toString))
    assertThat(all.map(_._2).distinct.length).isEqualTo(1)
    awaitIdle()
    assertThat(threads.getTaskCount).isEqualTo(1001L)
    assertThat(threads.getCompletedTaskCount).isEqualTo(1001L)
  }

  private def awaitIdle(): Unit =
    while (threads.getActiveCount > 0) Thread.onSpinWait()

  @Test
  def itBeginsWhenTheOtherHasEnded(): Unit = {
    val end = new CountDownLatch(1)
    threads.execute(task("first") {
      threads.follow(threads.execute(task("second")(())))
      end.await()
    })
    assertThat(next()._1).isEqualTo("first")
    assertThat(ran.poll(50, TimeUnit.MILLISECONDS)).isNull()
    end.countDown()
    assertThat(next()._1).isEqualTo("second")
  }

  @Test
  def onlyOneFollows(): Unit = {
    val end = new CountDownLatch(1)
    threads.execute(task("first") {
      threads.follow {
        threads.execute(task("second")(()))
        threads.execute(task("third")(()))
      }
      threads.execute(task("fourth")(()))
      end.await()
    })
    val (_, first) = next()
    val others = Seq(next(), next())
    assertThat(others.map(_._1).toSet).isEqualTo(Set("third", "fourth"))
    assertThat(others.exists(_._2 eq first)).isFalse()
    end.countDown()
    assertThat(next()).isEqualTo("second" -> first)
  }

  @Test
  def whatIsExecutedElsewhereDoesNotFollow(): Unit = {
    threads.follow(())
    threads.execute(task("alone")(()))
    assertThat(next()._1).isEqualTo("alone")
    // This thread has no task that could end.
    threads.follow(threads.execute(task("first")(())))
    assertThat(next()._1).isEqualTo("first")
    spark.execute(() => threads.follow(threads.execute(task("second")(()))))
    assertThat(next()._1).isEqualTo("second")
  }

  @Test
  def whatFollowsATaskThatFailsIsRunByAnotherThread(): Unit = {
    threads.execute(task("first") {
      threads.follow(threads.execute(task("second")(())))
      throw new IllegalStateException("It fails")
    })
    val (_, first) = next()
    val (second, thread) = next()
    assertThat(second).isEqualTo("second")
    assertThat(thread).isNotSameAs(first)
  }

  @Test
  def whatFollowsIsNotInterruptedWithTheOther(): Unit = {
    val isInterrupted = new LinkedBlockingQueue[Boolean]
    threads.execute(task("first") {
      threads.follow(threads.execute(task("second") {
        isInterrupted.add(Thread.currentThread.isInterrupted)
      }))
      Thread.currentThread.interrupt()
    })
    assertThat(isInterrupted.poll(30, TimeUnit.SECONDS)).isFalse()
  }

  @Test
  def whatFollowsMayFail(): Unit = {
    threads.execute(task("first") {
      threads.follow(threads.execute(task("second") {
        threads.follow(threads.execute(task("third")(())))
        throw new IllegalStateException("It fails")
      }))
    })
    assertThat(Seq.fill(3)(next()._1)).isEqualTo(Seq("first", "second", "third"))
  }

  @Test
  def thoseOfSparkCount(): Unit = {
    val end = new CountDownLatch(1)
    spark.execute(task("before")(end.await()))
    threads.execute(task("after")(end.await()))
    assertThat(Set(next()._1, next()._1)).isEqualTo(Set("before", "after"))
    assertThat(threads.getActiveCount).isEqualTo(2)
    assertThat(threads.getPoolSize).isEqualTo(2)
    assertThat(threads.getTaskCount).isEqualTo(2L)
    assertThat(threads.getCompletedTaskCount).isEqualTo(0L)
    end.countDown()
  }

  @Test
  def nothingFollowsAfterTheEnd(): Unit = {
    val refused = new LinkedBlockingQueue[Throwable]
    threads.execute(task("last") {
      threads.shutdown()
      try threads.follow(threads.execute(task("too late")(())))
      catch { case e: RejectedExecutionException => refused.add(e) }
    })
    assertThat(refused.poll(30, TimeUnit.SECONDS)).isNotNull()
    assertThatThrownBy(() => threads.execute(task("too late")(())))
      .isInstanceOf(classOf[RejectedExecutionException])
    assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue()
    assertThat(Seq.fill(ran.size)(next()._1)).isEqualTo(Seq("last"))
  }
}
