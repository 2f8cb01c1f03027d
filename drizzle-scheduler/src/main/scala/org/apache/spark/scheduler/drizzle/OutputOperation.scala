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

import java.lang.invoke.SerializedLambda
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.api.java.JavaDStreamLike
import org.apache.spark.streaming.dstream.DStream
import org.apache.xbean.asm9.{ClassReader, Opcodes, Type}
import org.apache.xbean.asm9.tree._

/** Whether what a batch does with its RDD may begin before the batches before it have ended. It may if
  * all that the driver does before a job's end is to build RDDs and call an action: nothing that
  * earlier batches change is read, and nothing that later ones might see is changed. From the end of its first
  * job on, a batch waits for its turn ([[Turn]]), so what comes then need not be known, nor what it uses.
  *
  * Stateless; safe for use by several threads.
  */
private[spark] object OutputOperation {

  /** @param function
    *   what is done with each RDD, as Spark keeps it: a `(RDD, Time) => Unit`
    * @param rdd
    *   class of the RDD that it is done with
    * @return why it may not; empty if it may
    */
  def whyInTurn(function: AnyRef, rdd: Class[_]): Option[String] =
    try {
      val lambda = Private.lambda(function)
      val ownClass = lambda.getImplClass
      val builtOn = SparksOwn.collectFirst {
        case (name, method) if ownClass == DStreams && lambda.getImplMethodName.startsWith(name) =>
          method
      }
      if (builtOn.isDefined) {
        builtOn
          .flatMap(BatchRdd.of(rdd, tellsOffsets = false).whyOwn)
          .map(why => s"it begins with $why")
      } else if (Wrappers.exists(ownClass.startsWith)) {
        // Spark's function around the application's.
        Private.captured(lambda).filter(isFunction) match {
          case Seq(inner) => whyInTurn(inner, Private.lambda(inner), rdd)
          case _          => Some("the function has no known form")
        }
      } else {
        whyInTurn(function, lambda, rdd)
      }
    } catch { case _: ReflectiveOperationException => Some("the function is no lambda") }

  private def whyInTurn(
      function: AnyRef,
      lambda: SerializedLambda,
      rdd: Class[_]
  ): Option[String] = {
    // Whatever asks a stream for something before the action is found below.
    val values = Private.captured(lambda).map(value => if (isStream(value)) null else value)
    def changeable(of: Seq[AnyRef]) =
      of.filter(_ != null).flatMap(value => CarriedState.whyChangeable(value)).headOption
    beginning(function, lambda, rdd, values.exists(tellsOffsets)) match {
      case Action(taken) => changeable(taken.toSeq.sorted.flatMap(values.lift(_)))
      case Other(what)   => changeable(values).orElse(Some(s"it begins with $what"))
      case NoneYet       => changeable(values).orElse(Some("it has no action"))
    }
  }

  private def beginning(
      function: AnyRef,
      lambda: SerializedLambda,
      rdd: Class[_],
      tellsOffsets: Boolean
  ): Beginning = beginnings
    .get(function.getClass)
    .computeIfAbsent(
      (rdd, tellsOffsets),
      _ =>
        new Reader(function.getClass.getClassLoader, BatchRdd.of(rdd, tellsOffsets)).begin(
          lambda.getImplClass,
          lambda.getImplMethodName,
          lambda.getImplMethodSignature,
          0
        )
    )

  /** What has been read of a lambda's class, which has the code of one function: to read it takes longer
    * than all else that is done here, and each batch has the same.
    */
  private val beginnings = new ClassValue[ConcurrentHashMap[(Class[_], Boolean), Beginning]] {
    override def computeValue(of: Class[_]) = new ConcurrentHashMap[(Class[_], Boolean), Beginning]
  }

  private sealed trait Beginning

  /** @param taken which arguments are taken up to the action, what the function has captured first */
  private final case class Action(taken: Set[Int]) extends Beginning
  private final case class Other(what: String) extends Beginning

  /** It builds RDDs at most. */
  private case object NoneYet extends Beginning

  private final class Reader(loader: ClassLoader, rdd: BatchRdd) {

    /** What a method does first, beside building RDDs. */
    def begin(className: String, name: String, descriptor: String, depth: Int): Beginning = {
      val stream = Option(loader)
        .getOrElse(ClassLoader.getSystemClassLoader)
        .getResourceAsStream(s"$className.class")
      if (stream == null || depth > DeepestCall) {
        return Other(s"a call of $className.$name")
      }
      val read = new ClassNode
      Using.resource(stream)(in => new ClassReader(in).accept(read, ClassReader.SKIP_DEBUG))
      read.methods.asScala.find(m => m.name == name && m.desc == descriptor) match {
        case None         => Other(s"a call of $className.$name")
        case Some(method) => begin(className, method, depth)
      }
    }

    private def begin(className: String, method: MethodNode, depth: Int): Beginning = {
      val argumentOf = argumentsBySlot(method)
      // What fails before the action would be handled before the turn has come.
      val tried = method.tryCatchBlocks.asScala.map(_.start: AbstractInsnNode).toSet
      var taken = Set.empty[Int]
      val steps = method.instructions.iterator.asScala.map {
        case label if tried(label) => Other("a try")
        case load: VarInsnNode =>
          taken ++= argumentOf.get(load.`var`)
          step(load)
        case call: MethodInsnNode if isOwnHelper(className, call) =>
          begin(className, call.name, call.desc, depth + 1)
        // The object whose function this is is there.
        case field: FieldInsnNode
            if field.getOpcode == Opcodes.GETSTATIC && field.owner == className &&
              field.name == "MODULE$" =>
          NoneYet
        case instruction => step(instruction)
      }
      steps.find(_ != NoneYet) match {
        // The compiler has put it in front of a function, whose arguments it hands on as they are.
        case Some(ofFunction: Action) if method.name.endsWith("$adapted") => ofFunction
        // What a helper takes was taken to be given to it.
        case Some(Action(_)) => Action(taken)
        case other           => other.getOrElse(NoneYet)
      }
    }

    /** Which argument is in which local variable; an object is the first one of its methods. */
    private def argumentsBySlot(method: MethodNode): Map[Int, Int] = {
      val own = if ((method.access & Opcodes.ACC_STATIC) == 0) Seq(1) else Seq.empty
      val sizes = own ++ Type.getArgumentTypes(method.desc).map(_.getSize)
      sizes.scanLeft(0)(_ + _).zip(sizes.indices).toMap
    }

    /** What the Scala compiler divides one function into. */
    private def isOwnHelper(className: String, call: MethodInsnNode): Boolean =
      call.getOpcode == Opcodes.INVOKESTATIC && call.owner == className &&
        call.name.startsWith("$anonfun$")

    private def step(instruction: AbstractInsnNode): Beginning = instruction match {
      case call: MethodInsnNode                                              => step(call)
      case dynamic: InvokeDynamicInsnNode if dynamic.bsm.getOwner == Lambdas => NoneYet
      case field: FieldInsnNode
          if field.getOpcode == Opcodes.GETSTATIC && (field.name == "MODULE$" || field.owner == "scala/runtime/BoxedUnit") &&
            (isRdd(field.owner) || field.owner.startsWith("scala/")) =>
        NoneYet
      case field: FieldInsnNode => Other(s"field ${field.owner.replace('/', '.')}.${field.name}")
      case _: JumpInsnNode | _: TableSwitchInsnNode | _: LookupSwitchInsnNode => Other("a branch")
      case other if Harmless(other.getOpcode)                                 => NoneYet
      case other => Other(s"instruction ${other.getOpcode}")
    }

    private def step(call: MethodInsnNode): Beginning = {
      val own = rdd.whyOwn(call.name).filter(_ => isRdd(call.owner))
      if (own.isDefined) {
        Other(own.get)
      } else if (isRdd(call.owner) && Actions(call.name) && !takesPartialFunction(call)) {
        Action(Set.empty)
      } else if (
        isRdd(call.owner) && buildsRdd(call) || isHarmless(call.owner) ||
        rdd.isKafkas && call.owner == KafkaOffsets && call.name == "offsetRanges"
      ) {
        NoneYet
      } else {
        Other(s"a call of ${call.owner.replace('/', '.')}.${call.name}")
      }
    }
  }

  /** What is known of the RDD of a batch. One of a class of its own may do something else under the name of
    * an action: that of Kafka's direct streams knows how many records it has, and counts without a job.
    *
    * @param own names of actions and transformations that are not as with other RDDs. A method of that name
    *   may be called on an RDD that was built from it, which nobody can tell here.
    * @param isKafkas whether it tells what it has of Kafka's topics, which never changes
    */
  private final class BatchRdd(name: String, own: Set[String], val isKafkas: Boolean) {

    /** That a method is not as with other RDDs, in words; empty if it is. */
    def whyOwn(method: String): Option[String] =
      if (own(method)) Some(s"$name.$method, which is not as with other RDDs") else None
  }

  private object BatchRdd {

    /** @param tellsOffsets whether something else than the RDD may be asked for them */
    def of(rdd: Class[_], tellsOffsets: Boolean): BatchRdd = {
      val overridden = Iterator
        .iterate[Class[_]](rdd)(_.getSuperclass)
        .takeWhile(c => c != null && c != classOf[RDD[_]])
        .flatMap(_.getDeclaredMethods.map(_.getName))
        .toSet
        .intersect(Actions ++ Transformations ++ BuiltOn.keySet)
      // What others may be built on is not known but for these.
      val own =
        if (overridden.subsetOf(BuiltOn.keySet)) overridden.flatMap(BuiltOn)
        else Actions ++ Transformations ++ BuiltOn.keySet
      val isKafkas = rdd.getName == KafkaRdd && !tellsOffsets
      new BatchRdd(rdd.getName, own, isKafkas)
    }

    /** Which actions call a method of an RDD. */
    private val BuiltOn = Map(
      "count" -> Set("count"),
      "isEmpty" -> Set("isEmpty"),
      "take" -> Set("first", "isEmpty", "take")
    )
    private val KafkaRdd = "org.apache.spark.streaming.kafka010.KafkaRDD"
  }

  private def isRdd(owner: String): Boolean =
    owner.startsWith("org/apache/spark/rdd/") ||
      owner.startsWith("org/apache/spark/api/java/Java")

  private def buildsRdd(call: MethodInsnNode): Boolean =
    Transformations(call.name) || call.name.contains("$default$")

  /** As the other `collect`, which only builds an RDD. */
  private def takesPartialFunction(call: MethodInsnNode): Boolean =
    Type
      .getArgumentTypes(call.desc)
      .exists(_.getClassName == classOf[PartialFunction[_, _]].getName)

  private def isHarmless(owner: String): Boolean = Builders.exists(owner.startsWith)

  private def tellsOffsets(value: AnyRef): Boolean = value != null &&
    Iterator
      .iterate[Class[_]](value.getClass)(_.getSuperclass)
      .takeWhile(_ != null)
      .flatMap(_.getInterfaces)
      .exists(_.getName.replace('.', '/') == KafkaOffsets)

  private def isStream(value: AnyRef): Boolean =
    value.isInstanceOf[DStream[_]] || value.isInstanceOf[JavaDStreamLike[_, _, _]]

  private def isFunction(value: AnyRef): Boolean = value != null &&
    (value.isInstanceOf[Function1[_, _]] || value.isInstanceOf[Function2[_, _, _]] ||
      value.getClass.getInterfaces.exists(_.getName.startsWith(JavaFunctions)))

  private val DStreams = "org/apache/spark/streaming/dstream/DStream"
  private val Lambdas = "java/lang/invoke/LambdaMetafactory"
  private val JavaFunctions = "org.apache.spark.api.java.function."
  private val KafkaOffsets = "org/apache/spark/streaming/kafka010/HasOffsetRanges"
  private val DeepestCall = 4

  /** Each batch writes to a place of its own, or nothing. With the method of the RDD that they call. */
  private val SparksOwn = Map(
    "$anonfun$print$" -> "take",
    "$anonfun$saveAsTextFiles$" -> "mapPartitions",
    "$anonfun$saveAsObjectFiles$" -> "mapPartitions"
  )

  private val Wrappers =
    Seq("org/apache/spark/streaming/dstream/", "org/apache/spark/streaming/api/java/")

  private val Builders = Seq(
    "scala/reflect/ClassTag",
    "scala/reflect/ManifestFactory",
    "scala/math/Ordering",
    "scala/math/Numeric",
    "scala/runtime/BoxesRunTime",
    "scala/Predef$$eq$colon$eq",
    "scala/$less$colon$less"
  )

  /** Those of RDDs that have no effect but a result, and run a job whatever they are given. */
  private val Actions = Set(
    "aggregate",
    "collect",
    "collectAsMap",
    "count",
    "countByKey",
    "countByValue",
    "first",
    "fold",
    "isEmpty",
    "max",
    "mean",
    "min",
    "reduce",
    "reduceByKeyLocally",
    "stats",
    "stdev",
    "sum",
    "treeAggregate",
    "treeReduce",
    "variance"
  )

  private val Transformations = Set(
    "aggregateByKey",
    "coalesce",
    "combineByKey",
    "distinct",
    "doubleRDDToDoubleRDDFunctions",
    "filter",
    "flatMap",
    "flatMapToPair",
    "flatMapValues",
    "foldByKey",
    "fromRDD",
    "glom",
    "groupBy",
    "groupByKey",
    "keyBy",
    "keys",
    "map",
    "mapPartitions",
    "mapPartitionsToPair",
    "mapPartitionsWithIndex",
    "mapToDouble",
    "mapToPair",
    "mapValues",
    "numericRDDToDoubleRDDFunctions",
    "rdd",
    "rddToOrderedRDDFunctions",
    "rddToPairRDDFunctions",
    "reduceByKey",
    "repartition",
    "values"
  )

  /** They move what is on the stack, and nothing else. No branches lead past a return. */
  private val Harmless: Set[Int] = Set(
    -1, // labels, lines and frames
    Opcodes.NOP,
    Opcodes.CHECKCAST,
    Opcodes.BIPUSH,
    Opcodes.SIPUSH,
    Opcodes.LDC
  ) ++ (Opcodes.ACONST_NULL to Opcodes.DCONST_1) ++ (Opcodes.ILOAD to Opcodes.ALOAD) ++
    (Opcodes.ISTORE to Opcodes.ASTORE) ++ (Opcodes.POP to Opcodes.SWAP) ++ (Opcodes.IRETURN to Opcodes.RETURN)
}
