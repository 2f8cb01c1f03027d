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

import java.io.{ByteArrayOutputStream, OutputStream}
import java.nio.ByteBuffer
import java.nio.channels.WritableByteChannel
import java.util.Optional

import org.apache.spark.shuffle.api.{
  ShuffleMapOutputWriter,
  ShufflePartitionWriter,
  WritableByteChannelWrapper
}
import org.apache.spark.shuffle.api.metadata.MapOutputCommitMessage

/** Keeps a map task's output in memory while it is small; what becomes larger goes to Spark's own
  * writer, with all that was written before. For one thread.
  *
  * @param most how many bytes are small
  * @param stock makes Spark's own writer
  * @param keep takes a small output and its partitions' checksums
  */
private[drizzle] final class SmallOutputWriter(
    numPartitions: Int,
    most: Int,
    stock: => ShuffleMapOutputWriter,
    keep: (SmallOutput, Array[Long]) => Unit
) extends ShuffleMapOutputWriter {
  private val bytes = new Buffer
  private val ends = new Array[Int](numPartitions)
  private var last = -1

  /** Null while the output is small. */
  private var large: ShuffleMapOutputWriter = _

  override def getPartitionWriter(partition: Int): ShufflePartitionWriter =
    if (large != null) {
      large.getPartitionWriter(partition)
    } else {
      require(partition > last, "Partitions must be written in ascending order")
      endAt(partition - 1)
      last = partition
      new PartitionWriter(partition)
    }

  override def commitAllPartitions(checksums: Array[Long]): MapOutputCommitMessage =
    if (large != null) {
      large.commitAllPartitions(checksums)
    } else {
      endAt(numPartitions - 1)
      val output = new SmallOutput(bytes.toByteArray, ends)
      keep(output, checksums)
      MapOutputCommitMessage.of(output.lengths)
    }

  override def abort(error: Throwable): Unit = if (large != null) {
    large.abort(error)
  }

  /** Those up to `partition` that have not ended do so here. */
  private def endAt(partition: Int): Unit =
    for (p <- math.max(0, last) to partition) ends(p) = bytes.size

  /** Hands over what there is, in streams or in channels, of which Spark's own writer takes but one
    * kind.
    *
    * @return the writer of the partition that is being written, and where it goes on
    */
  private def enlarge(open: ShufflePartitionWriter => Sink): (ShufflePartitionWriter, Sink) = {
    endAt(last)
    val written = new SmallOutput(bytes.toByteArray, ends)
    large = stock
    written.copyTo(large, last, open)
    val writer = large.getPartitionWriter(last)
    val sink = open(writer)
    sink.write(written.partitions(last, last + 1))
    bytes.reset()
    (writer, sink)
  }

  private final class PartitionWriter(partition: Int) extends ShufflePartitionWriter {
    private val start = bytes.size

    /** Null while the output is small. */
    private var largePartition: ShufflePartitionWriter = _
    private var sink: Sink = _

    override def openStream(): OutputStream = new OutputStream {
      override def write(b: Int): Unit = write(Array(b.toByte), 0, 1)

      override def write(from: Array[Byte], offset: Int, length: Int): Unit =
        put(ByteBuffer.wrap(from, offset, length), Sink.ofStream)

      override def flush(): Unit = if (sink != null) sink.flush()

      override def close(): Unit = if (sink != null) sink.close()
    }

    override def openChannelWrapper(): Optional[WritableByteChannelWrapper] =
      Optional.of(new WritableByteChannelWrapper {
        override val channel: WritableByteChannel = new WritableByteChannel {
          override def write(from: ByteBuffer): Int = {
            val length = from.remaining()
            put(from, Sink.ofChannel)
            length
          }

          override def isOpen: Boolean = true

          override def close(): Unit = ()
        }

        override def close(): Unit = if (sink != null) sink.close()
      })

    override def getNumBytesWritten: Long =
      if (largePartition != null) largePartition.getNumBytesWritten
      else if (large == null && last == partition) (bytes.size - start).toLong
      else (ends(partition) - start).toLong

    private def put(from: ByteBuffer, open: ShufflePartitionWriter => Sink): Unit = {
      if (sink == null && bytes.size + from.remaining() > most) {
        val (writer, opened) = enlarge(open)
        largePartition = writer
        sink = opened
      }
      if (sink != null) sink.write(from) else bytes.put(from)
    }
  }

  private final class Buffer extends ByteArrayOutputStream(512) {
    def put(from: ByteBuffer): Unit = {
      val array = new Array[Byte](from.remaining())
      from.get(array)
      write(array, 0, array.length)
    }
  }
}

/** Where a partition goes on that is not small. */
private[drizzle] trait Sink {
  def write(bytes: ByteBuffer): Unit
  def flush(): Unit
  def close(): Unit
}

private[drizzle] object Sink {
  def ofStream(writer: ShufflePartitionWriter): Sink = new Sink {
    private val stream = writer.openStream()

    override def write(bytes: ByteBuffer): Unit = {
      val array = new Array[Byte](bytes.remaining())
      bytes.get(array)
      stream.write(array)
    }

    override def flush(): Unit = stream.flush()

    override def close(): Unit = stream.close()
  }

  def ofChannel(writer: ShufflePartitionWriter): Sink = new Sink {
    private val wrapper = writer.openChannelWrapper().get

    override def write(bytes: ByteBuffer): Unit = while (bytes.hasRemaining)
      wrapper.channel.write(bytes)

    override def flush(): Unit = ()

    override def close(): Unit = wrapper.close()
  }
}
