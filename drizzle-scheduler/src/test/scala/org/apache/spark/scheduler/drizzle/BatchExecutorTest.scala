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

import java.util.concurrent.{CompletableFuture, ConcurrentHashMap, ConcurrentLinkedQueue}
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}

class BatchExecutorTest {
  private final class Fixed(size: Int) extends BatchExecutor.Observer {
    val early = new AtomicInteger
    val timings = new ConcurrentHashMap[Runnable, BatchExecutor.Timing]
    val endedNs = new ConcurrentHashMap[Runnable, Long]
    val idle = new ConcurrentLinkedQueue[Boolean]

    override def groupSize: Int = size

    override def begun(isEarly: Boolean): Unit = if (isEarly) early.incrementAndGet()

    override def ended(operation: Runnable, timing: BatchExecutor.Timing, isIdle: Boolean): Unit = {
      timings.put(operation, timing)
      endedNs.put(operation, System.nanoTime())
      idle.add(isIdle)
    }

    override def waiting(isFull: Boolean): Unit = ()
  }

  /** An operation that notes when it began and ended, with a job in between. */
  private final class Noted(
      val batch: Int,
      val isEarly: Boolean,
      jobMs: Int,
      notes: ConcurrentLinkedQueue[(String, Noted)]
  ) extends Runnable {
    override def run(): Unit = {
      notes.add("begun" -> this)
      // As a job does.
      val turn = Turn.current
      Thread.sleep(jobMs.toLong)
      turn.foreach(_.await())
      notes.add("ended" -> this)
    }
  }

  private def run(size: Int, operations: Seq[ConcurrentLinkedQueue[(String, Noted)] => Noted]) = {
    val notes = new ConcurrentLinkedQueue[(String, Noted)]
    val previous = Executors.newFixedThreadPool(1)
    val observer = new Fixed(size)
    val executor = new BatchExecutor(
      previous,
      _.asInstanceOf[Noted].batch.toLong,
      _.asInstanceOf[Noted].isEarly,
      observer
    )
    val all = operations.map(_(notes))
    previous.execute(all.head)
    all.tail.foreach(executor.execute)
    executor.shutdown()
    assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue
    (all, notes.asScala.toSeq, observer)
  }

  @Test
  @Timeout(300)
  def operationsEndInOrderAndNoMoreBatchesThanAllowedAreUnderWay(): Unit =
    for (seed <- 0 until 100) {
      val random = new Random(seed)
      val size = 1 + random.nextInt(5)
      var batch = 0
      val operations = Seq.fill(20) {
        batch += random.nextInt(2)
        val (number, isEarly, ms) = (batch, random.nextInt(4) > 0, random.nextInt(4))
        (notes: ConcurrentLinkedQueue[(String, Noted)]) => new Noted(number, isEarly, ms, notes)
      }
      val (all, notes, _) = run(size, operations)

      val ended = notes.collect { case ("ended", noted) => noted }
      assertThat(ended == all).as("Seed %s", seed).isTrue
      val begunBefore = all.zipWithIndex.map { case (operation, index) =>
        val before = notes.takeWhile(_ != ("begun" -> operation))
        val isInTurn = all.take(index).forall(o => before.contains("ended" -> o))
        assertThat(isInTurn || operation.isEarly).as("Seed %s", seed).isTrue
        val underWay = before.collect { case ("begun", o) if !before.contains("ended" -> o) => o }
        // The executor does not know of the one that was handed to another before.
        val batches = underWay.filterNot(_ eq all.head).map(_.batch).toSet
        assertThat(batches.size <= size).as("Seed %s", seed).isTrue
        underWay.size
      }
      if (size == 1) {
        assertThat(begunBefore.max == 0).as("Seed %s", seed).isTrue
      }
    }

  @Test
  @Timeout(60)
  def itIsIdleWhenTheLastHasEndedAndNotBetweenTwo(): Unit = for (size <- Seq(1, 3)) {
    // All are handed over before the first ends.
    val operations = (0 until 5).map { batch => (notes: ConcurrentLinkedQueue[(String, Noted)]) =>
      new Noted(batch, isEarly = true, 300, notes)
    }
    val (_, _, observer) = run(size, operations)
    assertThat(observer.idle.asScala.toSeq == Seq(false, false, false, true)).isTrue
  }

  @Test
  @Timeout(60)
  def whatIsNotToWaitBeginsWhileOthersAreUnderWay(): Unit = {
    val both = new CountDownLatch(2)
    val executor = new BatchExecutor(
      Executors.newFixedThreadPool(1),
      run => run.hashCode.toLong,
      _ => true,
      new Fixed(2)
    )
    // Each goes on only when the other has begun.
    def meeting(): Runnable = () => {
      both.countDown()
      assertThat(both.await(50, TimeUnit.SECONDS)).isTrue
    }
    executor.execute(meeting())
    executor.execute(meeting())
    executor.shutdown()
    assertThat(executor.awaitTermination(55, TimeUnit.SECONDS)).isTrue
    assertThat(both.getCount).isZero
  }

  @Test
  @Timeout(60)
  def jobsAreSubmittedInTheOrderOfTurns(): Unit = {
    val executor = new BatchExecutor(
      Executors.newFixedThreadPool(1),
      run => run.hashCode.toLong,
      _ => true,
      new Fixed(3)
    )
    val waits = new CompletableFuture[Thread]
    val submitted = new ConcurrentLinkedQueue[Int]
    val secondHasPassed = new CountDownLatch(1)
    val first: Runnable = () => {
      val other = waits.get()
      while (other.getState != Thread.State.WAITING) Thread.onSpinWait()
      submitted.add(1)
      Turn.ofOperation.get.markSubmitted()
      // It has not ended when the next one goes on.
      assertThat(secondHasPassed.await(50, TimeUnit.SECONDS)).isTrue
    }
    val second: Runnable = () => {
      val turn = Turn.ofOperation.get
      waits.complete(Thread.currentThread)
      turn.awaitSubmissions()
      submitted.add(2)
      secondHasPassed.countDown()
      // It has no job, and ends when the first has; the third one waits for that.
    }
    val third: Runnable = () => {
      Turn.ofOperation.get.awaitSubmissions()
      submitted.add(3)
    }
    Seq(first, second, third).foreach(executor.execute)
    executor.shutdown()
    assertThat(executor.awaitTermination(55, TimeUnit.SECONDS)).isTrue
    assertThat(submitted.asScala.toSeq.asJava).isEqualTo(Seq(1, 2, 3).asJava)
  }

  @Test
  @Timeout(60)
  def anOperationsTimeIsTakenApart(): Unit = {
    val observer = new Fixed(2)
    val executor =
      new BatchExecutor(Executors.newFixedThreadPool(1), _.hashCode.toLong, _ => true, observer)
    val begun = new CountDownLatch(1)
    val handedOver = new CountDownLatch(1)
    val hasRun = new CompletableFuture[Thread]
    // The second one begins at once, and has to wait for the first; there is no room for the third.
    val slow: Runnable = () => {
      begun.countDown()
      val other = hasRun.get()
      while (other.getState != Thread.State.WAITING) Thread.onSpinWait()
      Thread.sleep(300)
    }
    val quick: Runnable = () => {
      begun.await()
      handedOver.await()
      Thread.sleep(50)
      hasRun.complete(Thread.currentThread)
    }
    val third: Runnable = () => ()
    val beginNs = System.nanoTime()
    Seq(slow, quick, third).foreach(executor.execute)
    handedOver.countDown()
    executor.shutdown()
    assertThat(executor.awaitTermination(50, TimeUnit.SECONDS)).isTrue
    val (first, second, last) =
      (observer.timings.get(slow), observer.timings.get(quick), observer.timings.get(third))
    def ms(ns: Long) = TimeUnit.NANOSECONDS.toMillis(ns)
    assertThat(ms(first.ranNs)).isGreaterThanOrEqualTo(350L)
    assertThat(second.isEarly).isTrue
    assertThat(ms(second.ranNs)).isGreaterThanOrEqualTo(50L)
    assertThat(ms(second.forTurnNs)).isGreaterThanOrEqualTo(300L)
    assertThat(ms(last.toBeginNs)).isGreaterThanOrEqualTo(350L)
    // No time is counted twice.
    assertThat(second.toBeginNs + second.ranNs + second.forTurnNs)
      .isLessThanOrEqualTo(observer.endedNs.get(quick) - beginNs)
  }

  @Test
  @Timeout(60)
  def whatIsInterruptedLetsNobodyPass(): Unit = {
    val begun = new CountDownLatch(1)
    val executor = new BatchExecutor(
      Executors.newFixedThreadPool(1),
      run => run.hashCode.toLong,
      _ => false,
      new Fixed(2)
    )
    executor.execute { () =>
      begun.countDown()
      new CountDownLatch(1).await()
    }
    executor.execute(() => ())
    begun.await()
    assertThat(executor.shutdownNow()).hasSize(1)
    assertThat(executor.awaitTermination(50, TimeUnit.SECONDS)).isTrue
  }
}
