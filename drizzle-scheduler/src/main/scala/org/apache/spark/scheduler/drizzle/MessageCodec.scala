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

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, Properties}

import scala.jdk.CollectionConverters._

import org.apache.spark.JobArtifactSet
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rpc.RpcAddress

/** Messages as bytes. Those that come with every micro-batch are written field by field, because Java's
  * serialization says of every object, in every message, what its class is like: for a small task that
  * takes longer to read than the task itself. All others are written by Java. Safe for use by several
  * threads.
  */
private[drizzle] object MessageCodec {
  private val Java = 0
  private val OfEnded = 1
  private val OfBegun = 2
  private val OfLaunch = 3
  private val OfAnnouncements = 4
  private val OfUpdates = 5

  // How what is common is written.
  private val Whole = 0
  private val WithSkeleton = 1
  private val BySkeleton = 2

  def bytes(messages: Vector[Serializable]): Array[Byte] = bytes(messages, Int.MaxValue)._1

  /** The first messages, at least one, until they have more than `most` bytes.
    *
    * @return with how many they are
    */
  def bytes(messages: Vector[Serializable], most: Int): (Array[Byte], Int) = {
    val bytes = new ByteArrayOutputStream(1024)
    val out = new DataOutputStream(bytes)
    val writer = new Writer(out)
    // Where their number will be.
    out.writeInt(0)
    val written = messages.iterator
      .takeWhile(_ => bytes.size <= most)
      .map(writer.message)
      .size
    val whole = bytes.toByteArray
    ByteBuffer.wrap(whole).putInt(written)
    (whole, written)
  }

  /** What all tasks of a stage have in common.
    *
    * @param partition one of theirs
    */
  def common(work: StageWork, partition: Array[Byte]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream(1024)
    new Writer(new DataOutputStream(bytes)).common(work, partition)
    bytes.toByteArray
  }

  /** @param skeletons those that the receiver has
    * @throws UnknownSkeleton if the messages are written by another one
    */
  def read[T](
      bytes: Array[Byte],
      skeletons: => Skeletons.OfExecutor = new Skeletons.OfExecutor
  ): Vector[T] = {
    val in = new Reader(new DataInputStream(new ByteArrayInputStream(bytes)), skeletons)
    in.many(in.message().asInstanceOf[T])
  }

  /** The last artifacts that were written or read: those of an application seldom change. */
  @volatile private var lastArtifacts: Option[(JobArtifactSet, Array[Byte])] = None

  private final class Writer(out: DataOutputStream) {
    def message(message: Serializable): Unit = message match {
      case Ended(taskId, state, ranMs, agoMs, data) =>
        out.writeByte(OfEnded)
        out.writeLong(taskId)
        out.writeInt(state)
        out.writeLong(ranMs)
        out.writeLong(agoMs)
        array(data)
      case Begun(taskId, ranMs) =>
        out.writeByte(OfBegun)
        out.writeLong(taskId)
        out.writeLong(ranMs)
      case SentLaunch(stages) =>
        out.writeByte(OfLaunch)
        many(stages)(stage)
      case Announcements(all) =>
        out.writeByte(OfAnnouncements)
        many(all)(announce)
      case Updates(group, variable, iteration, nodes) =>
        out.writeByte(OfUpdates)
        key(group)
        out.writeInt(variable)
        out.writeInt(iteration)
        many(nodes) { node =>
          out.writeInt(node.level)
          out.writeInt(node.index)
          many(node.update)(array)
        }
      case other =>
        out.writeByte(Java)
        array(Wire.bytes(other))
    }

    def many[A](elements: Iterable[A])(write: A => Unit): Unit = {
      out.writeInt(elements.size)
      elements.foreach(write)
    }

    private def array(bytes: Array[Byte]): Unit = {
      out.writeInt(bytes.length)
      out.write(bytes)
    }

    private def string(value: String): Unit = array(value.getBytes(UTF_8))

    private def stage(sent: SentStage): Unit = {
      sent.common.bySkeleton match {
        case None =>
          out.writeByte(Whole)
          array(sent.common.whole)
        case Some((skeleton, delta)) if sent.isSkeletonThere =>
          out.writeByte(BySkeleton)
          out.writeLong(skeleton.id)
          array(delta)
        case Some((skeleton, delta)) =>
          out.writeByte(WithSkeleton)
          out.writeLong(skeleton.id)
          array(skeleton.bytes)
          array(delta)
      }
      many(sent.tasks)(task(_, sent.common.partition))
    }

    def common(work: StageWork, partition: Array[Byte]): Unit = {
      array(partition)
      key(work.key)
      out.writeInt(work.jobId)
      binary(work.binary)
      out.writeInt(work.numPartitions)
      artifacts(work.artifacts)
      properties(work.properties)
      pool(work.pool)
      many(work.metrics)(out.writeLong)
      string(work.appId)
      many(work.appAttemptId)(string)
      many(work.shuffleId)(out.writeInt)
      out.writeInt(work.cpus)
      many(work.awaits) { awaited =>
        out.writeInt(awaited.shuffleId)
        many(awaited.tree)(out.writeInt)
      }
      out.writeBoolean(work.isTreeLevel)
      many(work.consumers) { consumer =>
        string(consumer.host)
        out.writeInt(consumer.port)
      }
    }

    private def binary(binary: StageBinary): Unit = binary match {
      case StageBinary.Sent(bytes) =>
        out.writeBoolean(true)
        array(bytes)
      case StageBinary.Published(broadcast) =>
        out.writeBoolean(false)
        array(Wire.bytes(broadcast))
    }

    private def key(key: StageKey): Unit = {
      out.writeInt(key.stageId)
      out.writeInt(key.attempt)
    }

    private def artifacts(set: JobArtifactSet): Unit =
      lastArtifacts.filter(_._1 == set) match {
        case Some((_, bytes)) => array(bytes)
        case None =>
          val bytes = Wire.bytes(set)
          lastArtifacts = Some((set, bytes))
          array(bytes)
      }

    /** Strings, as they are everywhere in Spark, but they need not be. */
    private def properties(all: Properties): Unit = {
      val entries = all.asInstanceOf[java.util.Map[AnyRef, AnyRef]].asScala
      val areStrings = entries.forall { case (k, v) =>
        k.isInstanceOf[String] && v.isInstanceOf[String]
      } && all.stringPropertyNames().size == entries.size
      out.writeBoolean(areStrings)
      if (areStrings) {
        many(entries) { case (k, v) =>
          string(k.asInstanceOf[String])
          string(v.asInstanceOf[String])
        }
      } else {
        array(Wire.bytes(all))
      }
    }

    private def pool(share: PoolShare): Unit = {
      string(share.name)
      out.writeInt(share.weight)
      out.writeDouble(share.guaranteed)
      out.writeBoolean(share.isFair)
    }

    private def task(work: TaskWork, like: Array[Byte]): Unit = {
      out.writeLong(work.taskId)
      out.writeInt(work.index)
      out.writeInt(work.attemptNumber)
      out.writeInt(work.partitionId)
      val delta = Delta.of(like, work.partition)
      out.writeBoolean(delta.isDefined)
      array(delta.getOrElse(work.partition))
      out.writeInt(work.outputId)
      out.writeLong(work.epoch)
      many(work.after)(out.writeLong)
    }

    private def announce(output: Announce): Unit = {
      out.writeInt(output.shuffleId)
      out.writeInt(output.numMaps)
      out.writeBoolean(output.isTreeLevel)
      many(output.mapIndexes)(out.writeInt)
      array(output.statuses)
      many(output.outputs) { case (index, small) =>
        out.writeInt(index)
        array(small.bytes)
        many(small.ends)(out.writeInt)
      }
    }
  }

  private final class Reader(in: DataInputStream, skeletons: => Skeletons.OfExecutor) {
    def message(): AnyRef = in.readUnsignedByte() match {
      case Java     => Wire.read[AnyRef](array())
      case OfEnded  => Ended(in.readLong(), in.readInt(), in.readLong(), in.readLong(), array())
      case OfBegun  => Begun(in.readLong(), in.readLong())
      case OfLaunch => Launch(many(stage()))
      case OfAnnouncements => Announcements(many(announce()))
      case OfUpdates       => Updates(key(), in.readInt(), in.readInt(), many(mergedUpdate()))
      case other => throw new IllegalArgumentException(s"There are no messages of kind $other")
    }

    def many[A](read: => A): Vector[A] = Vector.fill(in.readInt())(read)

    private def array(): Array[Byte] = {
      val bytes = new Array[Byte](in.readInt())
      in.readFully(bytes)
      bytes
    }

    private def string(): String = new String(array(), UTF_8)

    private def key(): StageKey = StageKey(in.readInt(), in.readInt())

    private def mergedUpdate(): MergedUpdate =
      MergedUpdate(in.readInt(), in.readInt(), many(array()).headOption)

    private def stage(): StageWork = {
      val bytes = in.readUnsignedByte() match {
        case Whole => array()
        case BySkeleton =>
          val skeleton = skeletons(in.readLong())
          Delta.applied(skeleton, array())
        case WithSkeleton =>
          val id = in.readLong()
          val skeleton = array()
          skeletons.add(id, skeleton)
          Delta.applied(skeleton, array())
        case other => throw new IllegalArgumentException(s"There is no form $other of a stage")
      }
      val common = new Reader(new DataInputStream(new ByteArrayInputStream(bytes)), skeletons)
      val partition = common.array()
      common.withoutTasks().copy(tasks = many(task(partition)))
    }

    private def withoutTasks(): StageWork = StageWork(
      key(),
      in.readInt(),
      binary(),
      in.readInt(),
      artifacts(),
      properties(),
      PoolShare(string(), in.readInt(), in.readDouble(), in.readBoolean()),
      many(in.readLong()).toArray,
      string(),
      many(string()).headOption,
      many(in.readInt()).headOption,
      in.readInt(),
      many(Awaited(in.readInt(), many(in.readInt()).headOption)),
      in.readBoolean(),
      many(RpcAddress(string(), in.readInt())),
      Vector.empty
    )

    private def binary(): StageBinary =
      if (in.readBoolean()) StageBinary.Sent(array())
      else StageBinary.Published(Wire.read[Broadcast[Array[Byte]]](array()))

    private def artifacts(): JobArtifactSet = {
      val bytes = array()
      lastArtifacts.filter(last => Arrays.equals(last._2, bytes)) match {
        case Some((set, _)) => set
        case None =>
          val set = Wire.read[JobArtifactSet](bytes)
          lastArtifacts = Some((set, bytes))
          set
      }
    }

    private def properties(): Properties =
      if (in.readBoolean()) {
        val all = new Properties
        many((string(), string())).foreach { case (k, v) => all.setProperty(k, v) }
        all
      } else {
        Wire.read[Properties](array())
      }

    private def task(like: Array[Byte]): TaskWork = TaskWork(
      in.readLong(),
      in.readInt(),
      in.readInt(),
      in.readInt(),
      if (in.readBoolean()) Delta.applied(like, array()) else array(),
      in.readInt(),
      in.readLong(),
      many(in.readLong())
    )

    private def announce(): Announce = Announce(
      in.readInt(),
      in.readInt(),
      in.readBoolean(),
      many(in.readInt()).toArray,
      array(),
      many((in.readInt(), new SmallOutput(array(), many(in.readInt()).toArray))).toMap
    )
  }
}
