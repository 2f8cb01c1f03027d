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

import java.io.Externalizable
import java.lang.reflect.{Field, Modifier}
import java.util.{ArrayDeque, Collections, IdentityHashMap}

import org.apache.spark.{SparkConf, SparkContext, SparkEnv}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.storage.StorageLevel
import org.apache.spark.util.{AccumulatorV2, SerializableConfiguration}
import org.apache.spark.util.random.RandomSampler

/** Whether what a job takes along to executors can change in the driver. If it can, it has to be taken
  * along as late as stock Spark would.
  *
  * Stateless; safe for use by several threads.
  */
private[drizzle] object CarriedState {

  /** Looks at all objects that can be reached and are serialized.
    *
    * @return what can change, or is shared between batches; empty if nothing is
    */
  def whyChangeable(roots: AnyRef*): Option[String] = {
    val seen = Collections.newSetFromMap(new IdentityHashMap[AnyRef, java.lang.Boolean])
    val ahead = new ArrayDeque[AnyRef]
    def visit(value: AnyRef): Unit = if (value != null && seen.add(value)) ahead.add(value)
    roots.foreach(visit)
    var why: Option[String] =
      roots.find(root => root != null && root.getClass.isArray).map(_ => "an array can change")

    /** @param arrays how many levels of arrays nobody else writes to */
    def visitHeld(value: AnyRef, holder: Class[_], arrays: Int): Unit = value match {
      case array: AnyRef if array.getClass.isArray && arrays == 0 =>
        why = why.orElse(Some(s"${nameOf(holder)} holds an array"))
      case array: Array[AnyRef] => array.foreach(visitHeld(_, holder, arrays - 1))
      case next                 => visit(next)
    }
    while (why.isEmpty && !ahead.isEmpty) {
      val value = ahead.remove()
      val known = kinds.get(value.getClass)
      why = value match {
        case _ if seen.size > MostObjects => Some(s"more than $MostObjects objects are taken along")
        // When it is, files may go that its lineage ends with.
        case rdd: RDD[_] if rdd.checkpointData.exists(!_.isCheckpointed) =>
          Some("an RDD is to be checkpointed")
        case _ => known.whyChangeable
      }
      known.fields.foreach { held =>
        held.field.get(value) match {
          // Spark's own lists; what is in them may be the application's.
          case list: scala.collection.mutable.Iterable[_] if held.isSparks =>
            list.foreach { case item: AnyRef => visitHeld(item, value.getClass, 0); case _ => }
          case _: java.util.Map[_, _] | _: java.util.Collection[_] if held.isSparks   =>
          case _: RandomSampler[_, _] | _: SerializableConfiguration if held.isSparks =>
          case next => visitHeld(next, value.getClass, held.arrays)
        }
      }
      value match {
        // RDDs that are read through a shuffle are taken along by stages of their own: what reads them has them in
        // transient fields only.
        case rdd: RDD[_] if why.isEmpty => rdd.dependencies.foreach(read => visit(read.rdd))
        case _                          =>
      }
    }
    why
  }

  /** What is known of a class.
    *
    * @param fields those to follow
    */
  private final class Kind(
      val whyChangeable: Option[String],
      val fields: Array[Held] = Array.empty
  )

  /** A field to follow.
    *
    * @param isSparks whether what changes in it has no meaning for applications
    * @param arrays how many levels of arrays it may hold that nobody else writes to
    */
  private final class Held(val field: Field, val isSparks: Boolean, val arrays: Int)

  private val kinds = new ClassValue[Kind] {
    override def computeValue(of: Class[_]): Kind = {
      val classes = Iterator
        .iterate[Class[_]](of)(_.getSuperclass)
        .takeWhile(c => c != null && c != classOf[Object])
        .toSeq
      // An application's RDD has what all RDDs have in fields of Spark's.
      def isSparks(field: Field) = areSparks(of) || areSparks(field.getDeclaringClass)
      def isOwned(field: Field) = isSparks(field) || of.getName.startsWith("scala.")
      if (
        Values.exists(_.isAssignableFrom(of)) || of.isArray || of.isEnum ||
        of.getName.startsWith("java.time.")
      ) {
        new Kind(None)
      } else if (Shared.exists(_.isAssignableFrom(of))) {
        new Kind(Some(s"${nameOf(of)} is shared between batches"))
      } else if (classes.exists(c => Changeable.exists(c.getName.startsWith))) {
        new Kind(Some(s"${nameOf(of)} can change"))
      } else {
        try {
          val all = classes
            .flatMap(_.getDeclaredFields)
            .filterNot(f =>
              Modifier.isStatic(f.getModifiers) || Modifier.isTransient(f.getModifiers)
            )
            .toArray
          val free = all.find(f => !isOwned(f) && !Modifier.isFinal(f.getModifiers))
          val followed = all.filterNot(_.getType.isPrimitive)
          followed.foreach(_.setAccessible(true))
          new Kind(
            free
              .map(f => s"${nameOf(of)}.${f.getName} can change")
              .orElse(if (isWrittenByItself(classes)) {
                Some(s"${nameOf(of)} is written in its own way")
              } else None),
            followed.map(f => new Held(f, isSparks(f), arrays(f, isSparks(f))))
          )
        } catch {
          // Of the module system; and of classes that are not there.
          case e @ (_: RuntimeException | _: LinkageError) =>
            new Kind(Some(s"${nameOf(of)} can't be looked into: ${e.getMessage}"))
        }
      }
    }
  }

  /** Whether what changes in fields of a class has no meaning for applications. */
  private def areSparks(of: Class[_]): Boolean = Sparks.exists(of.getName.startsWith)

  /** Whether there may be more in what is written of an application's object than its fields tell, those that
    * are transient among them.
    */
  private def isWrittenByItself(classes: Seq[Class[_]]): Boolean = {
    val own = classes.filterNot(c => areSparks(c) || c.getName.startsWith("scala."))
    val fields = own.flatMap(_.getDeclaredFields).partition(f => Modifier.isStatic(f.getModifiers))
    // Of a Scala object, only the name is written.
    val isObject = fields._1.exists(_.getName == "MODULE$")
    !isObject && fields._2.exists(f => Modifier.isTransient(f.getModifiers)) && own.exists { c =>
      classOf[Externalizable].isAssignableFrom(c) ||
      c.getDeclaredMethods.exists(method => Writing(method.getName))
    }
  }

  private val Writing = Set("writeObject", "writeReplace")

  /** How many levels of arrays in a field nobody else writes to. What a field of any type holds, or an element of a
    * collection, is the application's.
    */
  private def arrays(field: Field, isSparks: Boolean): Int = {
    val declared =
      Iterator.iterate[Class[_]](field.getType)(_.getComponentType).takeWhile(_.isArray).size
    val in = field.getDeclaringClass
    if (isSparks) if (isLambda(in)) declared else math.max(1, declared)
    else if (in.getName.startsWith("scala.collection.immutable.")) declared
    else 0
  }

  private def isLambda(of: Class[_]): Boolean = of.getName.contains("$$Lambda")

  private def nameOf(of: Class[_]): String = of.getName.takeWhile(_ != '/')

  private val MostObjects = 10000

  /** Nothing in them is taken along and can change. */
  private val Values: Seq[Class[_]] = Seq(
    classOf[String],
    classOf[java.lang.Byte],
    classOf[java.lang.Short],
    classOf[Integer],
    classOf[java.lang.Long],
    classOf[java.lang.Float],
    classOf[java.lang.Double],
    classOf[java.math.BigInteger],
    classOf[java.math.BigDecimal],
    classOf[java.lang.Boolean],
    classOf[Character],
    classOf[Class[_]],
    classOf[Broadcast[_]],
    classOf[SparkConf],
    classOf[SparkContext],
    classOf[SparkEnv],
    classOf[StorageLevel],
    classOf[org.apache.spark.serializer.Serializer]
  )

  /** What a batch leaves there, the next one sees. */
  private val Shared: Seq[Class[_]] = Seq(classOf[AccumulatorV2[_, _]])

  private val Changeable = Seq(
    "scala.collection.mutable.",
    "scala.collection.concurrent.",
    "scala.collection.convert.",
    "java.util."
  ) ++
    Seq("Int", "Long", "Object", "Boolean", "Double", "Float", "Short", "Byte", "Char", "Volatile")
      .map("scala.runtime." + _)
      .map(name => if (name.endsWith("Volatile")) name else name + "Ref")

  private val Sparks = Seq(
    "org.apache.spark.rdd.",
    "org.apache.spark.api.java.",
    "org.apache.spark.shuffle.",
    "org.apache.spark.storage.",
    "org.apache.spark.streaming.rdd.",
    "org.apache.spark.streaming.kafka010.",
    "org.apache.spark.Aggregator",
    "org.apache.spark.HashPartitioner",
    "org.apache.spark.OneToOneDependency",
    "org.apache.spark.Range",
    "org.apache.spark.ShuffleDependency"
  )
}
