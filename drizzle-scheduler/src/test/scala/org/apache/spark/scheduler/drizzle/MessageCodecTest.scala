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

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

import org.apache.spark.JobArtifactSet
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.RpcAddress

/** What is read is what was written. */
final class MessageCodecTest {
  private def isKept(messages: Vector[Serializable]): Unit = {
    val read = MessageCodec.read[AnyRef](MessageCodec.bytes(messages.map(toSend)))
    assertThat(read.map(plain)).isEqualTo(messages.map(plain))
  }

  private def toSend(message: Serializable): Serializable = message match {
    case Launch(stages) =>
      SentLaunch(stages.map { stage =>
        SentStage(
          new StageBytes(stage, Array.emptyByteArray, None),
          stage.tasks,
          isSkeletonThere = false
        )
      })
    case other => other
  }

  /** With arrays as sequences, since those are equal if their elements are. */
  private def plain(value: Any): Any = value match {
    case array: Array[_]         => array.toSeq.map(plain)
    case published: Broadcast[_] => Seq(published.id, plain(published.value))
    case small: SmallOutput      => Seq(plain(small.bytes), plain(small.ends))
    case map: Map[_, _]          => map.map { case (k, v) => k -> plain(v) }
    case elements: Iterable[_]   => elements.map(plain).toSeq
    case Some(element)           => Some(plain(element))
    case product: Product => product.productPrefix +: product.productIterator.map(plain).toSeq
    case other            => other
  }

  @Test
  def everyKindOfMessage(): Unit = for (seed <- 0 until 200) {
    val random = new Random(seed)
    isKept(Vector.fill(random.nextInt(4))(any(random)))
  }

  @Test
  def propertiesThatAreNotStrings(): Unit = {
    val random = new Random(1)
    val (mixed, inherited) = (new Properties, new Properties(new Properties))
    mixed.put("a", Integer.valueOf(1))
    mixed.put("b", "2")
    inherited.setProperty("own", "x" * 100000)
    for (properties <- Seq(mixed, inherited, new Properties))
      isKept(Vector(Launch(Vector(stage(random).copy(properties = properties)))))
  }

  @Test
  def artifactsThatChange(): Unit = {
    val random = new Random(2)
    def of(jar: String) =
      stage(random).copy(artifacts = new JobArtifactSet(None, Map(jar -> 1L), Map.empty, Map.empty))
    isKept(Vector(Launch(Vector("a", "a", "b", "a").map(of))))
  }

  private def any(random: Random): Serializable = random.nextInt(8) match {
    case 0 =>
      val state = random.nextInt(5)
      Ended(random.nextLong(), state, random.nextLong(), random.nextLong(), bytes(random))
    case 1 => Begun(random.nextLong(), random.nextLong())
    case 2 => Launch(Vector.fill(random.nextInt(3))(stage(random)))
    case 3 => Announcements(Vector.fill(random.nextInt(3))(announce(random)))
    case 4 => Dropped(Vector.fill(random.nextInt(3))(random.nextLong()))
    case 5 => Kill(Vector(random.nextLong()), random.nextBoolean(), "why")
    case 6 => Register("1", "host", RpcAddress("host", 1))
    case _ =>
      val key = StageKey(random.nextInt(), random.nextInt())
      val nodes = Vector.fill(random.nextInt(3))(
        MergedUpdate(
          random.nextInt(),
          random.nextInt(),
          Option.when(random.nextBoolean())(bytes(random))
        )
      )
      Updates(key, random.nextInt(), random.nextInt(), nodes)
  }

  private def bytes(random: Random): Array[Byte] = random.nextBytes(random.nextInt(50))

  private def announce(random: Random) = Announce(
    random.nextInt(),
    random.nextInt(),
    random.nextBoolean(),
    Array.fill(random.nextInt(4))(random.nextInt()),
    bytes(random),
    Map.from(
      Seq.fill(random.nextInt(3))(
        random.nextInt() -> new SmallOutput(bytes(random), Array.fill(3)(random.nextInt()))
      )
    )
  )

  private def stage(random: Random): StageWork = {
    val properties = new Properties
    for (i <- 0 until random.nextInt(3)) properties.setProperty(s"key$i", random.nextString(9))
    StageWork(
      StageKey(random.nextInt(), random.nextInt()),
      random.nextInt(),
      if (random.nextInt(4) > 0) StageBinary.Sent(bytes(random))
      else StageBinary.Published(new Constant(random.nextLong(), bytes(random))),
      random.nextInt(),
      JobArtifactSet.emptyJobArtifactSet,
      properties,
      PoolShare(random.nextString(3), random.nextInt(), random.nextDouble(), random.nextBoolean()),
      Array.fill(random.nextInt(30))(random.nextLong()),
      "application",
      if (random.nextBoolean()) Some("1") else None,
      if (random.nextBoolean()) Some(random.nextInt()) else None,
      random.nextInt(),
      Vector.fill(random.nextInt(3))(
        Awaited(random.nextInt(), if (random.nextBoolean()) Some(random.nextInt()) else None)
      ),
      random.nextBoolean(),
      Vector.fill(random.nextInt(3))(RpcAddress("localhost", random.nextInt())),
      Vector.fill(random.nextInt(3))(
        TaskWork(
          random.nextLong(),
          random.nextInt(),
          random.nextInt(),
          random.nextInt(),
          bytes(random),
          random.nextInt(),
          random.nextLong()
        )
      )
    )
  }
}

private final class Constant(id: Long, bytes: Array[Byte]) extends Broadcast[Array[Byte]](id) {
  override protected def getValue(): Array[Byte] = bytes
  override protected def doUnpersist(blocking: Boolean): Unit = ()
  override protected def doDestroy(blocking: Boolean): Unit = ()
}
