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

import java.util.Properties

import scala.util.Random

import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.Test

import org.apache.spark.JobArtifactSet
import org.apache.spark.rpc.RpcAddress

/** Executors read what was sent, whichever skeletons they have been sent, and forget. */
final class SkeletonsTest {

  /** A place in an application, whose stages differ in numbers. */
  private final class Place(random: Random, val name: String) {
    private val binary = random.nextBytes(200 + random.nextInt(2000))
    private val partition = random.nextBytes(100)

    def stage(batch: Int): (StageWork, Vector[TaskWork]) = {
      val bytes = binary.clone()
      for (at <- 0 until bytes.length by 150) bytes(at) = batch.toByte
      val properties = new Properties
      properties.setProperty("time", s"${1000000 + batch}")
      // Some do not have the length of those before.
      if (random.nextInt(20) == 0) properties.setProperty("more", "x" * random.nextInt(3))
      val stage = StageWork(
        StageKey(batch, 0),
        batch,
        StageBinary.Sent(bytes),
        8,
        JobArtifactSet.emptyJobArtifactSet,
        properties,
        PoolShare.Whole,
        Array.tabulate(26)(i => batch * 26L + i),
        "application",
        None,
        if (random.nextBoolean()) Some(batch) else None,
        1,
        Vector.empty,
        isTreeLevel = false,
        Vector(RpcAddress("host", 1), RpcAddress("host", 2)),
        Vector.empty
      )
      val tasks = Vector.tabulate(random.nextInt(4)) { i =>
        val own = partition.clone()
        own(50) = i.toByte
        val of = if (random.nextInt(10) == 0) random.nextBytes(random.nextInt(200)) else own
        TaskWork(batch * 8L + i, i, 0, i, of, i, 0)
      }
      (stage, tasks)
    }

    def first: Array[Byte] = partition
  }

  private final class Executor(all: Skeletons) {
    val delivered = new Skeletons.Delivered(all)
    private var own = new Skeletons.OfExecutor

    /** Loses all, as nothing but a bug would. */
    def forget(): Unit = own = new Skeletons.OfExecutor

    def read(bytes: Array[Byte]): Vector[ToAgent] = MessageCodec.read[ToAgent](bytes, own)
  }

  private def plain(messages: Vector[ToAgent]): Seq[Any] = messages.collect { case Launch(stages) =>
    stages.map { stage =>
      val tasks = stage.tasks.map(task => (task.copy(partition = null), task.partition.toSeq))
      val bytes = (stage.binary.bytes.toSeq, stage.metrics.toSeq, stage.properties)
      (stage.copy(binary = null, metrics = null, properties = null, tasks = null), bytes, tasks)
    }
  }

  /** As the dispatcher does.
    *
    * @return how many bytes were sent
    */
  private def send(
      all: Skeletons,
      to: Executor,
      of: Seq[(Place, StageWork, Vector[TaskWork])],
      isAnswerLost: Boolean
  ): Int = {
    def launch = {
      val stages = of.map { case (place, stage, tasks) =>
        new StageBytes(stage, place.first, Some(all -> place.name))
          .withTasks(tasks, to.delivered)
      }
      Vector(SentLaunch(stages.toVector))
    }
    val first = launch
    val bytes = MessageCodec.bytes(first)
    val (sent, read) =
      try (first, to.read(bytes))
      catch {
        case _: UnknownSkeleton =>
          to.delivered.answered(first, areTaken = false)
          val second = launch
          (second, to.read(MessageCodec.bytes(second)))
      }
    val expected = Launch(of.map { case (_, stage, tasks) => stage.copy(tasks = tasks) }.toVector)
    assertThat(plain(read)).isEqualTo(plain(Vector(expected)))
    if (!isAnswerLost) to.delivered.answered(sent, areTaken = true)
    bytes.length
  }

  @Test
  def whatIsSentIsRead(): Unit = for (seed <- 0 until 20) {
    val random = new Random(seed)
    val all = new Skeletons
    // Sometimes more than are kept.
    val places = Vector.tabulate(if (seed % 2 == 0) 5 else 300)(i => new Place(random, s"$i"))
    val executors = Vector.fill(3)(new Executor(all))
    for (batch <- 0 until 1000) {
      val of = Vector.fill(1 + random.nextInt(2))(places(random.nextInt(places.size)))
      val stages = of.map { place =>
        val (stage, tasks) = place.stage(batch)
        (place, stage, tasks)
      }
      val executor = executors(random.nextInt(3))
      if (random.nextInt(50) == 0) executor.forget()
      send(all, executor, stages, isAnswerLost = random.nextInt(10) == 0)
    }
  }

  @Test
  def whatRepeatsIsSentOnce(): Unit = {
    val all = new Skeletons
    val place = new Place(new Random(1), "place")
    val executor = new Executor(all)
    val lengths = for (batch <- 0 until 20) yield {
      val (stage, _) = place.stage(batch)
      send(all, executor, Seq((place, stage, Vector.empty)), isAnswerLost = false)
    }
    assertThat(lengths.sorted.apply(10)).isLessThan(lengths.head / 4)
  }

  @Test
  def whatIsLongIsNotKept(): Unit = {
    val all = new Skeletons
    assertThat(all.of("long", new Array(200 << 10)).isDefined).isFalse
    assertThat(all.of("short", new Array(100 << 10)).isDefined).isTrue
  }

  @Test
  def aSkeletonThatIsNotThereIsNamed(): Unit =
    assertThatThrownBy(() => new Skeletons.OfExecutor()(7)).hasMessage("Skeleton 7 is not here")
}
