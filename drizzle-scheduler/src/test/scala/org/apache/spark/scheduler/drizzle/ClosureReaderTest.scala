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

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

import org.apache.spark.SparkConf
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.serializer.{JavaSerializer, KryoSerializer}

final class ClosureReaderTest {
  private val stock = new JavaSerializer(new SparkConf(false)).newInstance()
  private val reader = new ClosureReader(getClass.getClassLoader)

  @Test
  def itReadsWhatSparkWrites(): Unit = {
    val shift = 3
    val function = (i: Int) => i + shift
    val written = bytes((Vector("a", "b"), classOf[Int], Array(1L, 2L), Some(None), function))
    val (strings, primitive, longs, option, closure) =
      reader.read[(Vector[String], Class[Int], Array[Long], Option[_], Int => Int)](written)
    assertThat(strings).isEqualTo(Vector("a", "b"))
    assertThat(primitive).isEqualTo(classOf[Int])
    assertThat(longs).containsExactly(1L, 2L)
    assertThat(option).isEqualTo(Some(None))
    assertThat(closure(4)).isEqualTo(7)
  }

  @Test
  def functionsThatHoldFunctions(): Unit = {
    val shift = 3
    val inner = (i: Int) => i + shift
    val outer = (i: Int) => Seq.fill(2)(inner(i)).sum
    assertThat(reader.read[Int => Int](bytes(outer))(4)).isEqualTo(14)
    // It holds itself.
    val recursive = new Recursive
    recursive.function = i => if (i == 0) 1 else i * recursive.function(i - 1)
    assertThat(reader.read[Recursive](bytes(recursive)).function(5)).isEqualTo(120)
  }

  /** Java lets nobody else make those. */
  @Test
  def functionsOfJavasOwn(): Unit = {
    val order = java.util.Map.Entry.comparingByKey[String, Int]()
    val of = (a: String, b: String) =>
      order.compare(java.util.Map.entry(a, 1), java.util.Map.entry(b, 1))
    assertThat(reader.read[(String, String) => Int](bytes(of))("a", "b")).isNegative
  }

  @Test
  def everyReadGivesObjectsOfItsOwn(): Unit = {
    val written = bytes(new java.util.ArrayList[String])
    assertThat(reader.read[AnyRef](written)).isNotSameAs(reader.read[AnyRef](written))
  }

  @Test
  def equalKryoSerializersAreOneObject(): Unit = {
    def read(conf: SparkConf) = reader.read[KryoSerializer](bytes(new KryoSerializer(conf)))
    val first = read(new SparkConf(false))
    assertThat(read(new SparkConf(false))).isSameAs(first)
    val other = read(new SparkConf(false).set("spark.kryo.referenceTracking", "false"))
    assertThat(other).isNotSameAs(first)
    assertThat(reader.read[AnyRef](bytes(new OwnKryo))).isNotSameAs(first)
  }

  private def bytes(written: AnyRef): Array[Byte] =
    JavaUtils.bufferToArray(stock.serialize(written))
}

private final class Recursive extends Serializable {
  var function: Int => Int = _
}

private final class OwnKryo extends KryoSerializer(new SparkConf(false))
