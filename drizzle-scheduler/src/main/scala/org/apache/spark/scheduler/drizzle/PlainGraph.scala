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

import java.io.{Externalizable, ObjectInputStream, ObjectStreamField, Serializable => JSerializable}
import java.lang.invoke.{SerializedLambda => JavasLambda}
import java.lang.reflect.{Constructor, Field, Modifier}
import java.nio.ByteBuffer
import java.util.IdentityHashMap

import scala.collection.mutable
import scala.reflect.ClassTag
import scala.util.control.NonFatal

import org.apache.spark.SparkEnv
import org.apache.spark.rdd.ParallelCollectionPartition
import org.apache.spark.serializer.{JavaSerializer, KryoSerializer}
import org.apache.spark.storage.StorageLevel
import sun.reflect.ReflectionFactory

/** Objects that Java has deserialized, of which copies can be made that are like what it would deserialize once
  * more. That takes a small part of the time, because no class has to be looked up and described again.
  *
  * Immutable, as long as nobody changes the objects; safe for use by several threads.
  *
  * @param original what was deserialized
  * @param places of each object's node
  * @param numbers fields in which copies differ from it
  * @param bytes where those numbers stand
  */
private[drizzle] final class PlainGraph private (
    val original: AnyRef,
    nodes: Array[PlainGraph.Node],
    places: IdentityHashMap[AnyRef, Integer],
    numbers: Array[SerializedNumbers.Place],
    bytes: ByteBuffer
) {
  /*
   * A graph is plain if reading its objects runs no code of their classes: Java makes them without a
   * constructor of theirs, and puts values into their fields. Copying does the same. What may be shared, because
   * Java gives the same object each time or it cannot change, is. With anything else, a graph is not plain.
   */

  /** New objects. */
  def copy(): AnyRef = {
    val copies = new Array[AnyRef](nodes.length)
    var i = 0
    while (i < nodes.length) {
      copies(i) = nodes(i).allocate()
      i += 1
    }
    def of(i: Int): AnyRef = {
      if (copies(i) == null) {
        copies(i) = nodes(i).make(of)
      }
      copies(i)
    }
    i = 0
    while (i < nodes.length) {
      nodes(i).fill(of(i), of)
      i += 1
    }
    for (number <- numbers)
      SerializedNumbers.set(number.field, of(places.get(number.of)), bytes, number.at)
    of(0)
  }

  /** Whether each copy has an object of its own for this one. */
  def isOwn(original: AnyRef): Boolean = Option(places.get(original)).exists { place =>
    nodes(place) match {
      case _: PlainGraph.Instance => true
      case _                      => false
    }
  }

  /** The same objects, but for numbers.
    *
    * @param changed fields of objects that copies have of their own
    * @param bytes where these numbers stand
    */
  def withNumbers(changed: Array[SerializedNumbers.Place], bytes: ByteBuffer): PlainGraph =
    new PlainGraph(original, nodes, places, changed, bytes)
}

private[drizzle] object PlainGraph {
  private val NoBytes = ByteBuffer.allocate(0)

  /** With more objects it takes long to find out. */
  private val MostObjects = 2000

  /** What can be copied, or why it can't: the class of something that is not plain.
    *
    * @param root never to be changed from now on, nor what it refers to
    */
  def of(root: AnyRef): Either[String, PlainGraph] =
    try {
      val analysis = new Analysis
      val nodes = analysis.nodesOf(root)
      Right(new PlainGraph(root, nodes, analysis.places, Array.empty, NoBytes))
    } catch {
      case e: NotPlain => Left(e.getMessage)
      // A class of the JDK's that is not open, and what else there may be: then it is read.
      case NonFatal(e) => Left(e.toString)
    }

  /** One object of the graph. Others are known by their places. */
  sealed private trait Node {

    /** A copy that lacks its content; null if it needs others to be made. */
    def allocate(): AnyRef

    /** A copy, if there was nothing to allocate. */
    def make(copyOf: Int => AnyRef): AnyRef = throw new IllegalStateException("It is there")

    def fill(copy: AnyRef, copyOf: Int => AnyRef): Unit = ()
  }

  private final class Shared(same: AnyRef) extends Node {
    override def allocate(): AnyRef = same
  }

  private final class Instance(layout: Layout, original: AnyRef, references: Array[Int])
      extends Node {
    // Others are zero in a new object.
    private val values = layout.primitives.flatMap { field =>
      val value = field.get(original)
      val isZero = value match {
        case false           => true
        case char: Character => char == 0
        case number: Number  => number.doubleValue == 0 && 1 / number.doubleValue > 0
        case _               => false
      }
      Option.when(!isZero)(field -> value)
    }

    override def allocate(): AnyRef = layout.constructor.newInstance().asInstanceOf[AnyRef]

    override def fill(copy: AnyRef, copyOf: Int => AnyRef): Unit = {
      for ((field, value) <- values) field.set(copy, value)
      var i = 0
      while (i < references.length) {
        if (references(i) >= 0) {
          layout.references(i).set(copy, copyOf(references(i)))
        }
        i += 1
      }
    }
  }

  private final class References(original: Array[AnyRef], elements: Array[Int]) extends Node {
    override def allocate(): AnyRef =
      java.lang.reflect.Array
        .newInstance(original.getClass.getComponentType, original.length)
        .asInstanceOf[AnyRef]

    override def fill(copy: AnyRef, copyOf: Int => AnyRef): Unit = {
      val array = copy.asInstanceOf[Array[AnyRef]]
      for (i <- elements.indices if elements(i) >= 0) array(i) = copyOf(elements(i))
    }
  }

  private final class Primitives(original: AnyRef) extends Node {
    override def allocate(): AnyRef = original match {
      case array: Array[Byte]    => array.clone()
      case array: Array[Int]     => array.clone()
      case array: Array[Long]    => array.clone()
      case array: Array[Double]  => array.clone()
      case array: Array[Boolean] => array.clone()
      case array: Array[Char]    => array.clone()
      case array: Array[Float]   => array.clone()
      case array: Array[Short]   => array.clone()
      case other => throw new IllegalStateException(s"No primitives: ${other.getClass}")
    }
  }

  private final class Lambda(lambda: JavasLambda, loader: ClassLoader, captured: Array[Int])
      extends Node {
    override def allocate(): AnyRef = null

    override def make(copyOf: Int => AnyRef): AnyRef =
      SerializedLambda.like(lambda, loader, captured.map(i => if (i < 0) null else copyOf(i)))
  }

  /** How objects of a class are made and which fields they have, those of what it extends among them. */
  final class Layout(
      val constructor: Constructor[_],
      val primitives: Array[Field],
      val references: Array[Field]
  ) {

    /** A field of the class, or of one that it extends. */
    def primitive(of: String, name: String): Option[Field] = named(primitives, of, name)
    def reference(of: String, name: String): Option[Field] = named(references, of, name)

    private def named(fields: Array[Field], of: String, name: String): Option[Field] =
      fields.find(field => field.getName == name && field.getDeclaringClass.getName == of)
  }

  /** Empty if Java does not read objects of the class without running code of it. */
  def layoutOf(of: Class[_]): Option[Layout] =
    if (of == Slice && !readsFieldsOnly(of)) None else layouts.get(of)

  private val Slice = classOf[ParallelCollectionPartition[_]]

  /** Whether the code that reads objects of the class does what Java does without it. Of the partitions of a collection that
    * is so, unless the application has another serializer than Java's, which then reads their elements.
    */
  def readsFieldsOnly(of: Class[_]): Boolean = of == Slice &&
    Option(SparkEnv.get).exists(_.serializer.isInstanceOf[JavaSerializer])

  private final class NotPlain(what: String) extends RuntimeException(what, null, false, false)

  private final class Analysis {
    val places = new IdentityHashMap[AnyRef, Integer]
    private val objects = mutable.ArrayBuffer.empty[AnyRef]

    def nodesOf(root: AnyRef): Array[Node] = {
      val nodes = mutable.ArrayBuffer.empty[Node]
      placeOf(root)
      // More come while it goes.
      while (nodes.length < objects.length) nodes += nodeOf(objects(nodes.length))
      nodes.toArray
    }

    /** -1 for null. */
    private def placeOf(value: AnyRef): Int =
      if (value == null) {
        -1
      } else {
        val known = places.get(value)
        if (known != null) {
          known
        } else {
          if (objects.length == MostObjects) {
            throw new NotPlain(s"More than $MostObjects objects")
          }
          places.put(value, objects.length)
          objects += value
          objects.length - 1
        }
      }

    private def nodeOf(value: AnyRef): Node = value match {
      case _ if isShared(value)         => new Shared(value)
      case array: Array[AnyRef]         => new References(array, array.map(placeOf))
      case _ if value.getClass.isArray  => new Primitives(value)
      case _ if value.getClass.isHidden => lambdaOf(value)
      case _ =>
        val layout =
          layoutOf(value.getClass).getOrElse(throw new NotPlain(value.getClass.getName))
        new Instance(layout, value, layout.references.map(field => placeOf(field.get(value))))
    }

    private def lambdaOf(value: AnyRef): Node = {
      val lambda =
        try Private.lambda(value)
        catch { case e: ReflectiveOperationException => throw new NotPlain(e.toString) }
      val loader = value.getClass.getClassLoader
      if (!SerializedLambda.canMake(lambda, loader)) {
        throw new NotPlain(s"A lambda of ${lambda.getCapturingClass}")
      }
      val captured = Private.captured(lambda)
      if (captured.forall(arg => arg == null || isShared(arg))) {
        new Shared(value)
      } else {
        new Lambda(lambda, loader, captured.map(placeOf).toArray)
      }
    }
  }

  /** Immutable, or the only one of its kind, or shared by what [[ClosureReader]] reads. */
  private def isShared(value: AnyRef): Boolean = value match {
    case _: String | _: Class[_] | _: Enum[_] | _: java.lang.Boolean | _: java.lang.Character =>
      true
    case _: java.lang.Integer | _: java.lang.Long | _: java.lang.Double | _: java.lang.Float => true
    case _: java.lang.Short | _: java.lang.Byte                                              => true
    // Of those that Scala's enumerations have made.
    case value: Enumeration#Value if value.getClass.getName == "scala.Enumeration$Val" => true
    // Scala's own.
    case tag: ClassTag[_] if tag.getClass.getName.startsWith("scala.reflect.") => true
    case _ =>
      val of = value.getClass
      of == classOf[StorageLevel] || of == classOf[KryoSerializer] || of == classOf[
        JavaSerializer
      ] ||
      modules.get(of).exists(_ eq value)
  }

  /** What a Scala object's class has made. */
  private val modules = new ClassValue[Option[AnyRef]] {
    override def computeValue(of: Class[_]): Option[AnyRef] =
      if (!of.getName.endsWith("$")) {
        None
      } else {
        try {
          val module = of.getDeclaredField("MODULE$")
          if (Modifier.isStatic(module.getModifiers)) Option(module.get(null)) else None
        } catch { case _: ReflectiveOperationException => None }
      }
  }

  private val layouts = new ClassValue[Option[Layout]] {
    override def computeValue(of: Class[_]): Option[Layout] = {
      val classes = Iterator
        .iterate[Class[_]](of)(_.getSuperclass)
        .takeWhile(c => c != null && c != classOf[Object])
        .toVector
      if (!of.isRecord && isPlain(of) && classes.tail.forall(c => isPlain(c) || isBare(c))) {
        val fields = for {
          c <- classes
          field <- c.getDeclaredFields
          if !Modifier.isStatic(field.getModifiers) && !Modifier.isTransient(field.getModifiers)
        } yield field
        if (fields.forall(_.trySetAccessible())) {
          val (primitives, references) = fields.partition(_.getType.isPrimitive)
          val constructor = ReflectionFactory.getReflectionFactory
            .newConstructorForSerialization(of, classOf[Object].getDeclaredConstructor())
          Some(new Layout(constructor, primitives.toArray, references.toArray))
        } else {
          None
        }
      } else {
        None
      }
    }
  }

  /** Whether Java reads objects of the class without running any code of it. */
  private def isPlain(of: Class[_]): Boolean =
    classOf[JSerializable].isAssignableFrom(of) && !classOf[Externalizable].isAssignableFrom(of) &&
      !of.getDeclaredMethods.exists(m =>
        m.getName match {
          case "readObject" => of != Slice && m.getParameterTypes.sameElements(ReadsFrom)
          case "readObjectNoData" | "readResolve" => m.getParameterCount == 0
          case _                                  => false
        }
      ) && !of.getDeclaredFields.exists(f =>
        f.getName == "serialPersistentFields" && f.getType == classOf[Array[ObjectStreamField]]
      )

  /** Whether it is one of those which Scala's collections extend, and which have neither content nor constructors
    * that do something.
    */
  private def isBare(of: Class[_]): Boolean =
    of.getName.startsWith("scala.collection.") &&
      of.getDeclaredFields.forall(field => Modifier.isStatic(field.getModifiers))

  private val ReadsFrom: Array[Class[_]] = Array(classOf[ObjectInputStream])
}
