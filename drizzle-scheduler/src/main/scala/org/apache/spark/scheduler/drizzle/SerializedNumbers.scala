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

import java.io.ObjectStreamConstants._
import java.lang.reflect.Field
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.IdentityHashMap

import scala.collection.mutable

/** Where, in what Java has serialized, the numbers stand that objects have in fields of primitive types, if no code but
  * Java's own has read them: with other numbers there, the same would be read but for these fields. See the Java
  * Object Serialization Specification, chapter 6.
  *
  * Stateless; safe for use by several threads.
  */
private[drizzle] object SerializedNumbers {

  /** One of them.
    *
    * @param at its first byte
    * @param of the object that has it
    */
  final class Place(val at: Int, val field: Field, val of: AnyRef) {
    val end: Int = at + length(field.getType)
  }

  /** All of them, from the first on.
    *
    * @param bytes one object, as `ObjectOutputStream` has written it
    * @param read what [[ClosureReader]] has read from them
    * @param classes finds classes by name, as that does
    * @return or why there are none: something that is not understood
    */
  def in(
      bytes: Array[Byte],
      read: AnyRef,
      classes: String => Class[_]
  ): Either[String, Vector[Place]] =
    try {
      val stream = new Stream(bytes, classes)
      val root = stream.root()
      val pairs = new Pairs
      pairs.add(root, read)
      stream.proxies
        .find(!pairs.contains(_))
        .map(proxy => s"The collection at ${proxy.at} is no sequence")
        .toLeft(pairs.places)
    } catch {
      case e: NotUnderstood => Left(e.getMessage)
      // Of classes that are not found, of what ends in the middle, and of what is not open.
      case e @ (_: ReflectiveOperationException | _: LinkageError | _: RuntimeException) =>
        Left(e.toString)
    }

  /** Puts into an object's field what stands in bytes, as Java does. */
  def set(field: Field, of: AnyRef, bytes: ByteBuffer, at: Int): Unit = field.getType match {
    case java.lang.Integer.TYPE   => field.setInt(of, bytes.getInt(at))
    case java.lang.Long.TYPE      => field.setLong(of, bytes.getLong(at))
    case java.lang.Double.TYPE    => field.setDouble(of, bytes.getDouble(at))
    case java.lang.Float.TYPE     => field.setFloat(of, bytes.getFloat(at))
    case java.lang.Short.TYPE     => field.setShort(of, bytes.getShort(at))
    case java.lang.Character.TYPE => field.setChar(of, bytes.getChar(at))
    case java.lang.Byte.TYPE      => field.setByte(of, bytes.get(at))
    case _                        => field.setBoolean(of, bytes.get(at) != 0)
  }

  /** In bytes. */
  private def length(primitive: Class[_]): Int = length(primitive.descriptorString.head)

  private def length(kind: Char): Int = kind match {
    case 'J' | 'D' => 8
    case 'I' | 'F' => 4
    case 'S' | 'C' => 2
    case 'B' | 'Z' => 1
    case other     => throw new NotUnderstood(s"A field of type $other")
  }

  private final class NotUnderstood(what: String) extends RuntimeException(what, null, false, false)

  /** What Scala writes in place of its collections; code of its own reads the elements. */
  private val Proxy = "scala.collection.generic.DefaultSerializationProxy"
  private val Lambda = classOf[java.lang.invoke.SerializedLambda].getName

  /** Objects one in the other. */
  private val MostDeep = 1000

  /** Something that stands in the stream. */
  sealed private trait Item
  private case object Null extends Item

  /** Strings, classes, constants of enumerations, and arrays of primitives. */
  private case object Leaf extends Item

  /** An object that nothing is known of, or something in it. */
  private case object Opaque extends Item

  private final class Description(
      val name: String,
      val flags: Byte,
      val fields: Vector[(Char, String)]
  ) extends Item {
    var parent: Option[Description] = None

    /** What is extended comes first. */
    def levels: Vector[Description] = parent.fold(Vector.empty[Description])(_.levels) :+ this
  }

  private final class References extends Item {
    var elements: Vector[Item] = Vector.empty
  }

  private final class Instance(val of: String, val at: Int) extends Item {

    /** Class and name of each primitive field, and where it stands. */
    var numbers: Vector[(String, String, Int)] = Vector.empty

    /** Class and name of each other field, and what it refers to. */
    var references: Vector[(String, String, Item)] = Vector.empty

    /** What code of its class has written beside the fields. */
    var others: Vector[Item] = Vector.empty
  }

  /** What is in a stream. */
  private final class Stream(array: Array[Byte], classes: String => Class[_]) {
    private val bytes = ByteBuffer.wrap(array)
    private val handles = mutable.ArrayBuffer.empty[Item]

    /** How many opaque objects are being read, one in the other. */
    private var opaque = 0
    private var depth = 0

    /** Those that are not in opaque objects. */
    val proxies: mutable.ArrayBuffer[Instance] = mutable.ArrayBuffer.empty

    def root(): Item = {
      expect(bytes.getShort == STREAM_MAGIC && bytes.getShort == STREAM_VERSION, "no stream")
      val root = item()
      expect(!bytes.hasRemaining, "more than one object")
      root
    }

    private def expect(isSo: Boolean, otherwise: => String): Unit =
      if (!isSo) throw new NotUnderstood(s"At ${bytes.position()}: $otherwise")

    private def item(): Item = item(bytes.get)

    private def item(kind: Byte): Item = {
      depth += 1
      expect(depth < MostDeep, "too deep")
      val read: Item = kind match {
        case TC_NULL       => Null
        case TC_REFERENCE  => reference()
        case TC_CLASSDESC  => description()
        case TC_OBJECT     => instance()
        case TC_STRING     => leaf(skip(bytes.getShort & 0xffff))
        case TC_LONGSTRING => leaf(skip(math.toIntExact(bytes.getLong)))
        case TC_ARRAY      => elements()
        case TC_CLASS      => describedClass(); leaf(())
        case TC_ENUM       => describedClass(); leaf(item())
        case other         => throw new NotUnderstood(s"$other at ${bytes.position()}")
      }
      depth -= 1
      read
    }

    private def skip(length: Int): Unit = bytes.position(bytes.position() + length)

    private def text(): String = {
      val length = bytes.getShort & 0xffff
      val text = new String(array, bytes.position(), length, UTF_8)
      skip(length)
      text
    }

    private def leaf(content: => Any): Item = {
      handles += Leaf
      content
      Leaf
    }

    private def reference(): Item = {
      val found = handles(bytes.getInt - baseWireHandle)
      val isContent = found match {
        case _: Instance | _: References => true
        case _                           => false
      }
      // Its code might look at the numbers there.
      expect(opaque == 0 || !isContent, "an unknown object refers to known ones")
      found
    }

    private def description(): Item = {
      val name = text()
      bytes.getLong
      val place = handles.length
      handles += Null
      val flags = bytes.get
      val fields = Vector.fill(bytes.getShort & 0xffff) {
        val kind = (bytes.get & 0xff).toChar
        val name = text()
        if (isReference(kind)) item()
        kind -> name
      }
      val description = new Description(name, flags, fields)
      handles(place) = description
      annotations()
      description.parent = item() match {
        case parent: Description => Some(parent)
        case _                   => None
      }
      description
    }

    private def isReference(kind: Char): Boolean = kind == 'L' || kind == '['

    private def describedClass(): Description = item() match {
      case description: Description => description
      case _ => throw new NotUnderstood(s"No class before ${bytes.position()}")
    }

    private def annotations(): Vector[Item] = {
      val all = Vector.newBuilder[Item]
      var kind = bytes.get
      while (kind != TC_ENDBLOCKDATA) {
        kind match {
          case TC_BLOCKDATA     => skip(bytes.get & 0xff)
          case TC_BLOCKDATALONG => skip(bytes.getInt)
          case other            => all += item(other)
        }
        kind = bytes.get
      }
      all.result()
    }

    private def elements(): Item = {
      val kind = describedClass().name.charAt(1)
      if (isReference(kind)) {
        val array = new References
        val known = keep(array)
        array.elements = Vector.fill(bytes.getInt)(item())
        known
      } else {
        leaf(skip(math.multiplyExact(bytes.getInt, length(kind))))
      }
    }

    private def keep(item: Item): Item = {
      handles += (if (opaque == 0) item else Opaque)
      handles.last
    }

    private def instance(): Item = {
      val description = describedClass()
      val instance = new Instance(description.name, bytes.position())
      val isProxy = description.name == Proxy
      val isReplaced = isProxy || description.name == Lambda
      val isKnown = isReplaced || PlainGraph.layoutOf(classes(description.name)).isDefined
      if (!isKnown) opaque += 1
      val kept = keep(instance)
      if (isProxy && opaque == 0) {
        proxies += instance
      }
      for (level <- description.levels)
        if ((level.flags & SC_SERIALIZABLE) != 0) {
          // What the others write is their fields first: there is no code to read anything else.
          expect(isReplaced || !readsItself(classes(level.name)), s"${level.name} reads itself")
          fields(level, instance)
          if ((level.flags & SC_WRITE_METHOD) != 0) {
            instance.others ++= annotations()
          }
        } else {
          expect((level.flags & SC_BLOCK_DATA) != 0, s"${level.name} has no bounds")
          annotations()
        }
      if (!isKnown) opaque -= 1
      kept
    }

    private def fields(level: Description, instance: Instance): Unit =
      for ((kind, name) <- level.fields)
        if (isReference(kind)) {
          instance.references :+= ((level.name, name, item()))
        } else {
          instance.numbers :+= ((level.name, name, bytes.position()))
          skip(length(kind))
        }

    private def readsItself(level: Class[_]): Boolean =
      level.getDeclaredMethods.exists(_.getName == "readObject") &&
        !PlainGraph.readsFieldsOnly(level)
  }

  /** Finds out which objects are those of the stream. */
  private final class Pairs {
    private val known = new IdentityHashMap[Item, AnyRef]
    private val found = Vector.newBuilder[Place]

    def contains(item: Item): Boolean = known.containsKey(item)

    def places: Vector[Place] = found.result().sortBy(_.at)

    def add(item: Item, read: AnyRef): Unit = item match {
      case _ if contains(item) =>
      case array: References =>
        read match {
          case elements: Array[AnyRef] =>
            known.put(array, read)
            addAll(array.elements, elements.toSeq)
          case _ =>
        }
      case proxy: Instance if proxy.of == Proxy =>
        read match {
          // What builds a sequence does not look at its elements.
          case elements: collection.Seq[_]
              if read.getClass.getName.startsWith("scala.collection.") =>
            known.put(proxy, read)
            // If it did not know how many there are, it has written an end after them.
            val isEnded = proxy.others.length == elements.length + 1
            addAll(
              if (isEnded) proxy.others.init else proxy.others,
              elements.iterator.map(_.asInstanceOf[AnyRef]).toSeq
            )
          case _ =>
        }
      case instance: Instance if read != null =>
        known.put(instance, read)
        if (instance.of == Lambda) ofLambda(instance, read) else ofFields(instance, read)
      case _ =>
    }

    private def ofLambda(instance: Instance, read: AnyRef): Unit =
      instance.references
        .collectFirst { case (_, "capturedArgs", captured: References) => captured.elements }
        .foreach(addAll(_, Private.captured(Private.lambda(read))))

    private def ofFields(instance: Instance, read: AnyRef): Unit =
      for (layout <- PlainGraph.layoutOf(read.getClass)) {
        for ((of, name, at) <- instance.numbers; field <- layout.primitive(of, name))
          found += new Place(at, field, read)
        for ((of, name, item) <- instance.references; field <- layout.reference(of, name))
          add(item, field.get(read))
      }

    private def addAll(items: Seq[Item], read: Seq[AnyRef]): Unit =
      if (items.length == read.length) {
        items.zip(read).foreach { case (item, element) => add(item, element) }
      }
  }
}
