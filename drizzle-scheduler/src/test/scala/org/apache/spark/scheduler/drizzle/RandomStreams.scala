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

import java.io.{BufferedReader, ByteArrayOutputStream, InputStreamReader, PrintWriter}
import java.net.{InetAddress, ServerSocket, Socket, SocketException}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.util.concurrent.{ConcurrentLinkedQueue, Semaphore, TimeUnit}

import scala.annotation.nowarn
import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}
import scala.util.control.NonFatal

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.hadoop.io.{LongWritable, Text}
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat
import org.apache.spark.{HashPartitioner, SparkContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel
import org.apache.spark.streaming.{
  ManualBatches,
  Milliseconds,
  State,
  StateSpec,
  StreamingContext,
  Time
}
import org.apache.spark.streaming.dstream.{DStream, InputDStream}
import org.apache.spark.streaming.receiver.Receiver
import org.apache.spark.streaming.scheduler.{
  StreamingListener,
  StreamingListenerBatchCompleted,
  StreamingListenerOutputOperationCompleted
}

/** A program over DStreams that a seed decides, some of whose tasks fail at first. What a batch has depends on
  * nothing but the seed; when batches come is said by the program, which lets most of them come at once, so that
  * they have to wait for each other. All that it shows is written down, and the same on any Spark.
  *
  * @param directory for what it reads and writes; its own
  */
@nowarn("cat=deprecation") // DStreams are what many have.
private[drizzle] final class RandomStreams(sc: SparkContext, seed: Long, directory: Path) {
  import RandomStreams._

  private val random = new Random(seed)
  private val kind = Kinds(random.nextInt(Kinds.size))
  private val hasFaults = random.nextInt(3) == 0
  private val batches = 7 + random.nextInt(5)
  private val streaming = new StreamingContext(sc, Milliseconds(Interval.toLong))

  private val steps = mutable.ArrayBuffer.empty[String]
  private val feeds = mutable.ArrayBuffer.empty[Int => Unit]
  private val links = mutable.ArrayBuffer.empty[Lines]
  private val tables = mutable.ArrayBuffer.empty[RDD[Pair]]
  private var sources = 0
  private var streams = 0
  private var isStateful = false

  /** Whether what a batch has must not be there before the batch in front of it was made. */
  private var isStepwise = false

  /** Of the driver: read by tasks of [[Kind.Variables]], and changed by output operations. */
  private val variable = new Variable
  private val counter = sc.longAccumulator

  /** @return what it has shown
    * @throws AssertionError if it does not come to its end, with what it does
    */
  def run(): Outcome =
    try {
      Seen.take()
      val (outputs, accumulators) = declare()
      if (isStateful) {
        streaming.checkpoint(directory.resolve("checkpoints").toString)
      }
      val told = new Told
      streaming.addStreamingListener(told)
      val printed = new ByteArrayOutputStream
      val due = new ManualBatches(streaming)
      try {
        Console.withOut(printed)(streaming.start())
        run(due, told)
        sc.listenerBus.waitUntilEmpty(TimeUnit.MINUTES.toMillis(1))
      } finally {
        streaming.stop(stopSparkContext = false, stopGracefully = false)
        links.foreach(_.close())
        tables.foreach(_.unpersist(blocking = true))
      }
      Outcome(
        text,
        kind,
        told.all.asScala.count(_.contains("#")),
        Seq(
          "what output operations have seen" -> Seen.take(),
          "what listeners were told" -> told.all.asScala.toSeq,
          "what was printed" -> printed.toString(UTF_8).linesIterator.toSeq,
          "what was written" -> outputs.flatMap(written),
          "accumulators" -> (counter +: accumulators).map(_.value.toString),
          "the driver's variable" -> Seq(variable.value.toString)
        )
      )
    } catch {
      case NonFatal(e) => throw new AssertionError(s"$text\nhas not come to its end: $e", e)
    }

  private def text: String = {
    val title = s"Program $seed, of $batches batches${if (hasFaults) ", with failures" else ""}:"
    (title +: steps.toSeq).mkString("\n  ")
  }

  /** The first batch is done alone: what comes before its first job is over is not looked at by the plug-in. */
  private def run(due: ManualBatches, told: Told): Unit = {
    def comes(batch: Int): Unit = {
      feeds.foreach(_(batch))
      val sent = links.map(_.sent).sum
      TestCluster.await(due.received == sent)
      links.foreach(_.sent = 0)
      due.come(1)
      acquire(due.areMade, 1)
    }
    comes(1)
    acquire(told.ended, 1)
    if (isStepwise) {
      (2 to batches).foreach(comes)
    } else {
      (2 to batches).foreach(batch => feeds.foreach(_(batch)))
      due.come(batches - 1)
    }
    acquire(told.ended, batches - 1)
  }

  private def acquire(permits: Semaphore, count: Int): Unit =
    require(permits.tryAcquire(count, 2, TimeUnit.MINUTES), "It has taken more than two minutes")

  /** @return where files are written, and the accumulators of output operations */
  private def declare() = {
    val pool = mutable.ArrayBuffer.fill(1 + random.nextInt(3))(source())
    for (_ <- 0 until 2 + random.nextInt(5)) {
      val data = failing(pick(pool))
      pool += operator(data, pick(pool.filter(_.slide == data.slide) :+ data))
    }
    // What the variable and the counter are for.
    val changing = if (kind == Kind.Variables) {
      pool += stateless(WithVariable, pick(pool), pool.head)
      val withVariable = pool.last
      pool += stateless(WithCounter, pick(pool), pool.head)
      Seq(
        (op: Int) => {
          note(s"#$op ${pool.head.name}: count, changes the variable")
          StreamOutputs.changes(pool.head.stream, op, variable)
        },
        (op: Int) => {
          note(s"#$op ${withVariable.name}: collect")
          StreamOutputs.collected(withVariable.stream, op)
        },
        (op: Int) => {
          note(s"#$op ${pool.last.name}: count, reads the counter")
          StreamOutputs.counted(pool.last.stream, op, counter)
        }
      )
    } else Seq.empty
    val outputs = mutable.ArrayBuffer.empty[String]
    val accumulators = mutable.ArrayBuffer.empty[org.apache.spark.util.LongAccumulator]
    var hasEachBatch = false
    val count = changing.size + 1 + random.nextInt(if (changing.isEmpty) 4 else 2)
    changing.zipWithIndex.foreach { case (declared, op) => declared(op) }
    for (op <- changing.size until count) {
      val data = failing(pick(pool.takeRight(4)))
      hasEachBatch |= data.slide == 1
      output(op, data, outputs, accumulators)
    }
    if (!hasEachBatch) {
      note(s"#$count ${pool.head.name}: collect")
      StreamOutputs.collected(pool.head.stream, count)
    }
    (outputs.toSeq, accumulators.toSeq)
  }

  private def pick[A](from: collection.IndexedSeq[A]): A = from(random.nextInt(from.size))

  private def partitions(): Int = 1 + random.nextInt(4)

  private def note(what: String): Unit = steps += what

  private def made(how: String, stream: DStream[Pair], of: Data*): Data = {
    val name = s"s$streams"
    streams += 1
    note(s"$name = $how")
    Data(
      name,
      stream,
      of.headOption.fold(1)(_.slide),
      of.forall(_.isOrdered),
      of.forall(_.isPure)
    )
  }

  private def source(): Data = {
    val id = sources
    sources += 1
    val (seed, parts) = (this.seed, partitions())
    random.nextInt(8) match {
      case 0 | 1 =>
        val queue = mutable.Queue.empty[RDD[Pair]]
        val isOneAtATime = random.nextInt(3) > 0
        isStepwise |= !isOneAtATime
        feeds += { batch =>
          queue.synchronized {
            // One that an earlier batch has, too, in some.
            queue += queue.lastOption
              .filter(_ => batch % 4 == 3)
              .getOrElse(sc.parallelize(records(seed, id, batch), parts))
            if (!isOneAtATime && batch % 3 == 0) {
              queue += sc.parallelize(records(seed, id, -batch), parts)
            }
          }
        }
        made(
          s"queueStream, ${if (isOneAtATime) "one at a time" else "all at once"}",
          streaming.queueStream(queue, isOneAtATime)
        )
      case 2 | 3 =>
        val in = Files.createDirectories(directory.resolve(s"in$id"))
        feeds += { batch =>
          val file = Files.write(in.resolve(s"$batch.txt"), lines(records(seed, id, batch)).asJava)
          // Batches find files by their times.
          val time = batch * Interval - Interval / 2
          Files.setLastModifiedTime(file, FileTime.fromMillis(time.toLong))
        }
        if (random.nextBoolean()) {
          made("textFileStream", streaming.textFileStream(in.toString).map(line => parsed(line)))
        } else {
          made(
            "fileStream",
            streaming
              .fileStream[LongWritable, Text, TextInputFormat](
                in.toString,
                (path: HadoopPath) => path.getName.endsWith(".txt"),
                newFilesOnly = true
              )
              .map(line => parsed(line._2.toString))
          )
        }
      case 4 if links.isEmpty && random.nextInt(2) == 0 =>
        val link = new Lines
        links += link
        isStepwise = true
        if (random.nextBoolean()) {
          feeds += (batch => link.send(lines(records(seed, id, batch))))
          made(
            "socketTextStream",
            streaming
              .socketTextStream("127.0.0.1", link.port, StorageLevel.MEMORY_ONLY)
              .map(line => parsed(line))
          ).unordered
        } else {
          feeds += { batch =>
            val all = records(seed, id, batch)
            if (all.nonEmpty) {
              link.send(Seq(lines(all).mkString(",")), all.size)
            }
          }
          made("receiverStream", streaming.receiverStream(new Blocks(link.port)))
        }
      case _ =>
        made(s"numbers of the batch's time, $parts", new Timed(streaming, seed, id, parts))
    }
  }

  private def operator(data: Data, other: Data): Data = {
    val of = kind match {
      case Kind.Stateful => random.nextInt(Stateless + 12)
      case Kind.Variables =>
        if (random.nextInt(4) == 0) pick(Vector(WithVariable, WithCounter))
        else random.nextInt(Stateless)
      case Kind.Plain => random.nextInt(Stateless)
    }
    if (of < Stateless) stateless(of, data, other) else stateful(of - Stateless, data)
  }

  private def stateless(of: Int, data: Data, other: Data): Data = of match {
    case WithVariable =>
      val variable = this.variable
      made(
        s"${data.name}.map(+ variable)",
        data.stream.map(p => (p._1, p._2 + variable.value)),
        data
      ).impure
    case WithCounter =>
      val counter = this.counter
      val counted = data.stream.map { p =>
        counter.add(1)
        p
      }
      made(s"${data.name}.map, counted", counted, data).impure
    case 0 =>
      val (a, b) = (1 + random.nextInt(5), random.nextInt(9))
      made(
        s"${data.name}.map $a $b",
        data.stream.map(p => ((p._1 * a + b) % Keys, p._2 + p._1)),
        data
      )
    case 1 =>
      val c = random.nextInt(3)
      made(s"${data.name}.filter $c", data.stream.filter(p => (p._1 + p._2) % 3 != c), data)
    case 2 =>
      made(
        s"${data.name}.flatMap",
        data.stream.flatMap(p => Seq.fill((p._2 % 3).toInt.abs)(p)),
        data
      )
    case 3 =>
      made(
        s"${data.name}.mapPartitions",
        data.stream.mapPartitions(_.map(p => (p._1, p._2 * 3 + 1))),
        data
      )
    case 4 =>
      made(s"${data.name}.union(${other.name})", data.stream.union(other.stream), data, other)
    case 5 =>
      val n = partitions()
      made(s"${data.name}.repartition($n)", data.stream.repartition(n), data).unordered
    case 6 =>
      val n = partitions()
      made(s"${data.name}.reduceByKey(+, $n)", data.stream.reduceByKey(_ + _, n), data).unordered
    case 7 =>
      val n = partitions()
      val grouped = data.stream.groupByKey(n).mapValues(values => digest(values))
      made(s"${data.name}.groupByKey($n).mapValues", grouped, data).unordered
    case 8 =>
      val (n, m) = (partitions(), partitions())
      val joined = data.stream
        .reduceByKey(_ + _, n)
        .join(other.stream.reduceByKey((a, b) => math.max(a, b), m))
        .mapValues { case (a, b) => a - b }
      made(
        s"${data.name}.reduceByKey(+, $n).join(${other.name}.reduceByKey(max, $m))",
        joined,
        data,
        other
      ).unordered
    case 9 =>
      val n = partitions()
      val grouped = data.stream.cogroup(other.stream, n).mapValues { case (a, b) =>
        digest(a) * 7 - digest(b)
      }
      made(s"${data.name}.cogroup(${other.name}, $n)", grouped, data, other).unordered
    case 10 =>
      val n = partitions()
      val joined = data.stream
        .reduceByKey(_ + _, n)
        .leftOuterJoin(other.stream.groupByKey(n).mapValues(values => digest(values)), n)
        .mapValues { case (a, b) => a - b.getOrElse(3L) }
      made(s"${data.name}.leftOuterJoin(${other.name}, $n)", joined, data, other).unordered
    case 11 =>
      val n = partitions()
      val without = data.stream.transformWith(
        other.stream,
        (a: RDD[Pair], b: RDD[Pair]) => a.subtractByKey(b.filter(_._2 % 2 == 0), n)
      )
      made(
        s"${data.name}.transformWith(${other.name}, subtractByKey $n)",
        without,
        data,
        other
      ).unordered
    case 12 =>
      val n = partitions()
      val counted = data.stream.countByValue(n).map { case (p, count) => (p._1, p._2 * 31 + count) }
      made(s"${data.name}.countByValue($n)", counted, data).unordered
    case 13 =>
      made(s"${data.name}.count()", data.stream.count().map(n => (0, n)), data).unordered
    case 14 =>
      val sums = data.stream.reduce((a, b) => (math.max(a._1, b._1), a._2 + b._2))
      made(s"${data.name}.reduce", sums, data).unordered
    case 15 =>
      val kept = data.stream.map(p => (p._1, p._2 - 1))
      made(s"${data.name}.map.persist", kept.persist(StorageLevel.MEMORY_ONLY), data)
    case 16 =>
      val table =
        sc.broadcast(Seq.fill(Keys)(random.nextInt(100).toLong).zipWithIndex.map(_.swap).toMap)
      made(
        s"${data.name}.map(+ broadcast)",
        data.stream.map(p => (p._1, p._2 + table.value.getOrElse(p._1, 0L))),
        data
      )
    case 17 =>
      val n = partitions()
      val combined = data.stream.combineByKey[(Long, Int)](
        (value: Long) => (value, 1),
        (sum: (Long, Int), value: Long) => (sum._1 + value, sum._2 + 1),
        (a: (Long, Int), b: (Long, Int)) => (a._1 + b._1, a._2 + b._2),
        new HashPartitioner(n)
      )
      made(
        s"${data.name}.combineByKey($n)",
        combined.flatMapValues(sum => Seq(sum._1, sum._2.toLong)),
        data
      ).unordered
    case 18 =>
      made(
        s"${data.name}.glom()",
        data.stream.glom().flatMap(pairs => pairs.reverse.toSeq),
        data
      )
    case 19 =>
      made(
        s"${data.name}.transform(+ time)",
        data.stream.transform((rdd, time) =>
          rdd.map(p => (p._1, p._2 + time.milliseconds / Interval))
        ),
        data
      )
    case _ => transformed(data)
  }

  /** By functions that are given an RDD while its batch is made. */
  private def transformed(data: Data): Data = random.nextInt(5) match {
    case 0 =>
      made(s"${data.name}.transform(distinct)", data.stream.transform(_.distinct()), data).unordered
    case 1 =>
      val table = sc.parallelize(records(seed, -1, 0), 2)
      val isKept = random.nextBoolean()
      if (isKept) {
        tables += table.cache()
      }
      made(
        s"${data.name}.transform(union with ${if (isKept) "a cached" else "an"} RDD)",
        data.stream.transform(rdd => rdd.union(table)),
        data
      )
    // Jobs run while batches are made, and beside others.
    case 2 if data.isPure =>
      val n = partitions()
      made(
        s"${data.name}.transform(sortByKey $n)",
        data.stream.transform(rdd => rdd.sortByKey(ascending = false, n)),
        data
      ).unordered
    case 3 if data.isPure && data.isOrdered =>
      made(
        s"${data.name}.transform(zipWithIndex)",
        data.stream.transform(_.zipWithIndex().map { case (p, i) => (p._1, p._2 * 100 + i) }),
        data
      )
    case _ if data.isOrdered =>
      made(
        s"${data.name}.transform(sample)",
        data.stream.transform(_.sample(withReplacement = false, 0.6, 17L)),
        data
      )
    case _ =>
      made(s"${data.name}.transform(coalesce)", data.stream.transform(_.coalesce(1)), data)
  }

  private def stateful(of: Int, data: Data): Data = {
    val n = partitions()
    // Only a stream that has each batch is thinned out.
    val every = if (data.slide == 1) 1 + random.nextInt(2) else 1
    val wide = random.nextInt(3) + every
    val (window, slide) = (
      Milliseconds(data.slide * wide * Interval.toLong),
      Milliseconds(data.slide * every * Interval.toLong)
    )
    val how = s"$wide, every $every"
    def windowed(name: String, stream: DStream[Pair]) =
      made(s"${data.name}.$name($how)", stream, data).unordered.copy(slide = data.slide * every)
    of match {
      case 0 | 1 =>
        windowed("window", data.stream.window(window, slide)).copy(isOrdered = data.isOrdered)
      case 2 =>
        windowed(
          "reduceByWindow",
          data.stream.map(_._2).reduceByWindow(_ + _, window, slide).map(sum => (0, sum))
        )
      case 3 =>
        isStateful = true
        windowed(
          "reduceByWindow with inverse",
          data.stream.map(_._2).reduceByWindow(_ + _, _ - _, window, slide).map(sum => (0, sum))
        )
      case 4 =>
        windowed(
          "reduceByKeyAndWindow",
          data.stream.reduceByKeyAndWindow((a: Long, b: Long) => a + b, window, slide, n)
        )
      case 5 =>
        isStateful = true
        windowed(
          "reduceByKeyAndWindow with inverse",
          data.stream.reduceByKeyAndWindow(
            (a: Long, b: Long) => a + b,
            (a: Long, b: Long) => a - b,
            window,
            slide,
            n,
            (sum: (Int, Long)) => sum._2 != 0
          )
        )
      case 6 =>
        isStateful = true
        windowed("countByWindow", data.stream.countByWindow(window, slide).map(n => (0, n)))
      case 7 =>
        isStateful = true
        windowed(
          "countByValueAndWindow",
          data.stream
            .countByValueAndWindow(window, slide, n)
            .map { case (p, count) => (p._1, p._2 * 31 + count) }
        )
      case 8 | 9 =>
        isStateful = true
        val update = (now: Seq[Long], before: Option[Long]) => {
          val sum = before.getOrElse(0L) * 3 + digest(now)
          if (sum % 5 == 0) None else Some(sum)
        }
        val hasInitial = random.nextBoolean()
        val states =
          if (hasInitial) {
            val initial = sc.parallelize((0 until 5).map(k => (k, k * 11L)), 2)
            data.stream.updateStateByKey(update, new HashPartitioner(n), initial)
          } else data.stream.updateStateByKey(update, n)
        oftenCheckpointed(
          made(
            s"${data.name}.updateStateByKey($n${if (hasInitial) ", from an RDD" else ""})",
            states,
            data
          ).unordered
        )
      case _ =>
        isStateful = true
        // The order in which it is given the values of a key is not defined; so there is one.
        val values = data.stream.reduceByKey(_ + _, n)
        val hasTimeout = random.nextBoolean()
        val spec = StateSpec
          .function((key: Int, value: Option[Long], state: State[Long]) =>
            if (state.isTimingOut()) {
              (key, -1 - state.get())
            } else {
              val sum = state.getOption().getOrElse(0L) * 3 + value.getOrElse(0L)
              if (sum % 5 == 0) state.remove() else state.update(sum)
              (key, sum)
            }
          )
          .numPartitions(n)
          .initialState(sc.parallelize((0 until 5).map(k => (k, k * 11L)), 2))
        if (hasTimeout) {
          spec.timeout(Milliseconds(data.slide * 2L * Interval))
        }
        val mapped = values.mapWithState(spec)
        val isSnapshot = random.nextInt(3) == 0
        val how = s"${data.name}.mapWithState($n${if (hasTimeout) ", with timeout" else ""})"
        // Those that time out are only found when it is checkpointed.
        if (hasTimeout) {
          mapped.checkpoint(Milliseconds(data.slide * 3L * Interval))
        }
        if (isSnapshot) made(s"$how.stateSnapshots()", mapped.stateSnapshots(), data).unordered
        else made(how, mapped, data).unordered
    }
  }

  private def oftenCheckpointed(data: Data): Data = {
    if (random.nextBoolean()) {
      note(s"${data.name}.checkpoint(each third)")
      data.stream.checkpoint(Milliseconds(data.slide * 3L * Interval))
    }
    data
  }

  /** Some of its tasks fail at their first attempt, half way. */
  private def failing(data: Data): Data = if (!hasFaults || random.nextInt(3) > 0) {
    data
  } else {
    val salt = random.nextInt(3)
    made(
      s"${data.name}, with failures in partitions $salt + 3 n",
      data.stream.transform(RandomProgram.failingAtFirst(_, salt)),
      data
    )
  }

  private def output(
      op: Int,
      data: Data,
      written: mutable.Buffer[String],
      accumulators: mutable.Buffer[org.apache.spark.util.LongAccumulator]
  ): Unit = {
    import StreamOutputs._
    val of = data.stream
    def named(what: String)(declare: => Unit): Unit = {
      note(s"#$op ${data.name}: $what")
      declare
    }
    def accumulator() = {
      val added = sc.longAccumulator
      accumulators += added
      added
    }
    val ofOrdered = if (data.isOrdered) random.nextInt(8) else -1
    ofOrdered match {
      case 0 => return named("collect of each partition, in order")(inOrder(of, op))
      case 1 => return named("print")(of.print(1 + random.nextInt(7)))
      case 2 => return named("isEmpty, first and take")(begun(of, op))
      case _ =>
    }
    if (kind == Kind.Variables && random.nextInt(2) == 0) {
      if (random.nextBoolean()) named("count, changes the variable")(changes(of, op, variable))
      else named("count, reads the counter")(counted(of, op, counter))
    } else {
      random.nextInt(25) match {
        case 0 | 1 | 2 => named("collect")(collected(of, op))
        case 3         => named("count")(counted(of, op))
        case 4 | 5     => named("reduceByKey and collect")(reduced(of, op, partitions()))
        case 6 | 7     => named("several actions")(several(of, op))
        case 8         => named("total += n after count")(total(of, op, new Variable))
        case 9         => named("total += count()")(totalBefore(of, op, new Variable))
        case 10        => named("filter by a variable, count")(limited(of, op, new Variable))
        case 11        => named("tasks add, count")(adds(of, op, accumulator()))
        case 12        => named("count, foreach adds")(addsLater(of, op, accumulator()))
        case 13 =>
          named("filter by a broadcast, collect")(filtered(of, op, sc.broadcast(Set(1, 2, 5))))
        case 14 => named("collect, broadcast it, filter, count")(broadcasts(of, op))
        case 15 => named("cached between two actions")(cached(of, op))
        case 16 | 17 =>
          named("saveAsTextFiles") {
            written += s"out$op"
            of.map(p => s"${p._1} ${p._2}")
              .saveAsTextFiles(directory.resolve(s"out$op").toString)
          }
        case 18 => named("fails after its action, in some")(failsAfter(of, op))
        case 19 => named("fails before its action")(failsBefore(of, op, 0))
        case 20 => named("tasks fail for good, in one")(failsWithin(of, op))
        case 21 => named("countAsync")(async(of, op))
        case 22 =>
          named("foreachPartition, which writes") {
            val file = directory.resolve(s"effects$op")
            written += file.getFileName.toString
            writes(of, file.toString)
          }
        case 23 =>
          named("count and collect with a file, which it rewrites") {
            val file = Files.writeString(directory.resolve(s"table$op"), "first\n")
            rewrites(of, op, file.toString, new Variable)
          }
        case _ =>
          named("fold, treeAggregate and countByKey")(aggregates(of, op, 1 + random.nextInt(3)))
      }
    }
  }

  /** What is in a file, or in all directories of this name and a time. */
  private def written(name: String): Seq[String] = {
    def lines(file: Path) = Files.readAllLines(file).asScala.toSeq
    val file = directory.resolve(name)
    if (Files.exists(file)) {
      // A task may write more than once.
      lines(file).foldLeft(Vector.empty[String]) { (all, time) =>
        if (all.lastOption.contains(time)) all else all :+ time
      }
    } else {
      listed(directory).filter(_.getFileName.toString.startsWith(s"$name-")).flatMap { batch =>
        val (parts, others) = listed(batch)
          .filterNot(_.getFileName.toString.startsWith("."))
          .partition(_.getFileName.toString.startsWith("part-"))
        val named = (parts ++ others).map(_.getFileName.toString)
        s"${batch.getFileName}: ${named.mkString(" ")}" +: parts.flatMap(lines).sorted
      }
    }
  }

  private def listed(in: Path): Seq[Path] =
    Using.resource(Files.list(in))(_.iterator.asScala.toVector.sorted)
}

@nowarn("cat=deprecation")
private[drizzle] object RandomStreams {
  type Pair = (Int, Long)

  /** Milliseconds between two batches, on a clock that the test sets. */
  private val Interval = 1000

  private val Keys = 17

  /** How many operators have neither state nor windows. */
  private val Stateless = 22

  /** Operators whose tasks take along what can change in the driver. */
  private val WithVariable = -2
  private val WithCounter = -1

  sealed trait Kind

  object Kind {

    /** What comes with an output operation's first job can't change in the driver. */
    case object Plain extends Kind

    /** With state and windows, which are persisted. */
    case object Stateful extends Kind

    /** Tasks take along a variable and an accumulator of the driver. */
    case object Variables extends Kind
  }

  private val Kinds = Vector.fill(3)(Kind.Plain) ++ Vector.fill(2)(Kind.Stateful) ++
    Vector.fill(2)(Kind.Variables)

  /** What a program has shown.
    *
    * @param text what it does
    * @param operations how many output operations have ended
    * @param shown in order, below what they are
    */
  final case class Outcome(
      text: String,
      kind: Kind,
      operations: Int,
      shown: Seq[(String, Seq[String])]
  ) {

    /** What is different from the same program on stock Spark, in words; empty if nothing is. */
    def differsFrom(stock: Outcome): Option[String] = stock.shown.zip(shown).collectFirst {
      case ((what, expected), (_, actual)) if actual != expected =>
        val at = expected.zipAll(actual, "nothing", "nothing").indexWhere(p => p._1 != p._2)
        def around(all: Seq[String]) =
          all.slice(at - 1, at + 3).map(_.take(1500)).mkString("\n    ")
        s"""$text
           |differs in $what, at $at of ${expected.size} and ${actual.size}; stock Spark:
           |    ${around(expected)}
           |with the plug-in:
           |    ${around(actual)}""".stripMargin
    }
  }

  /** @param slide each which batch it has
    * @param isOrdered whether Spark defines which records are in which partition, and in which order
    * @param isPure whether nothing that can change in the driver is taken along by its tasks
    */
  private final case class Data(
      name: String,
      stream: DStream[Pair],
      slide: Int,
      isOrdered: Boolean,
      isPure: Boolean
  ) {
    def unordered: Data = copy(isOrdered = false)
    def impure: Data = copy(isPure = false)
  }

  /** What a source has for a batch. */
  private def records(seed: Long, source: Int, batch: Int): Seq[Pair] = {
    val random = new Random(seed * 1000003 + source * 10007 + batch)
    Seq.fill(math.max(0, random.nextInt(18) - 3))(
      (random.nextInt(Keys), random.nextInt(1000).toLong)
    )
  }

  private def lines(records: Seq[Pair]): Seq[String] = records.map(p => s"${p._1} ${p._2}")

  private def parsed(line: String): Pair = {
    val fields = line.split(' ')
    (fields(0).toInt, fields(1).toLong)
  }

  /** Does not depend on the values' order. */
  private def digest(values: Iterable[Long]): Long = values.toSeq.sorted.foldLeft(7L)(_ * 31 + _)

  /** Of the driver. */
  final class Variable extends Serializable {
    @volatile var value = 0L
  }

  /** What output operations have seen, in the driver. */
  object Seen {
    private val all = new ConcurrentLinkedQueue[String]

    def add(what: String): Unit = all.add(what)

    def take(): Seq[String] = Iterator.continually(all.poll()).takeWhile(_ != null).toVector
  }

  /** What listeners are told about ends. */
  private final class Told extends StreamingListener {
    val all = new ConcurrentLinkedQueue[String]
    val ended = new Semaphore(0)

    override def onOutputOperationCompleted(
        event: StreamingListenerOutputOperationCompleted
    ): Unit = {
      val operation = event.outputOperationInfo
      val how =
        operation.failureReason.fold("has ended")(why => why.takeWhile(c => c != ':' && c != '\n'))
      all.add(s"${operation.batchTime.milliseconds} #${operation.id} $how")
    }

    override def onBatchCompleted(event: StreamingListenerBatchCompleted): Unit = {
      val batch = event.batchInfo
      all.add(s"${batch.batchTime.milliseconds} has ended, with ${batch.numRecords} records")
      ended.release()
    }
  }

  /** Some numbers for each batch. */
  private final class Timed(application: StreamingContext, seed: Long, id: Int, partitions: Int)
      extends InputDStream[Pair](application) {
    override def start(): Unit = ()

    override def stop(): Unit = ()

    override def compute(time: Time): Option[RDD[Pair]] = {
      val batch = (time.milliseconds / Interval).toInt
      val sc = context.sparkContext
      if (partitions == 1 && batch % 5 == 4) Some(sc.emptyRDD[Pair])
      else Some(sc.parallelize(records(seed, id, batch), partitions))
    }
  }

  /** Sends lines to a receiver. */
  private final class Lines extends AutoCloseable {
    private val server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    server.setSoTimeout(TimeUnit.MINUTES.toMillis(1).toInt)
    val port: Int = server.getLocalPort

    private var receiver: Option[Socket] = None

    /** How many records a batch is to have. */
    var sent = 0L

    def send(lines: Seq[String]): Unit = send(lines, lines.size)

    def send(lines: Seq[String], records: Int): Unit = {
      val to = receiver.getOrElse(server.accept())
      receiver = Some(to)
      val writer = new PrintWriter(to.getOutputStream, false, UTF_8)
      lines.foreach(line => writer.print(s"$line\n"))
      writer.flush()
      sent += records
    }

    override def close(): Unit = {
      receiver.foreach(_.close())
      server.close()
    }
  }

  /** Stores a block for each line. */
  private final class Blocks(port: Int) extends Receiver[Pair](StorageLevel.MEMORY_ONLY) {
    @transient @volatile private var socket: Socket = _

    override def onStart(): Unit = {
      val storing: Runnable = () =>
        try {
          socket = new Socket("127.0.0.1", port)
          val in = new BufferedReader(new InputStreamReader(socket.getInputStream, UTF_8))
          Iterator
            .continually(in.readLine())
            .takeWhile(_ != null)
            .foreach(line => store(line.split(',').map(parsed).to(mutable.ArrayBuffer)))
        } catch { case _: SocketException if isStopped() => }
      new Thread(storing, "blocks").start()
    }

    override def onStop(): Unit = if (socket != null) socket.close()
  }
}
