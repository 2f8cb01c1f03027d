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

import java.io.ByteArrayOutputStream
import java.util.Arrays

/** How bytes differ from others of the same length: pieces, each with how many bytes are equal before it, its length, and what it
  * is. Numbers have seven bits to a byte, the lowest first. Stateless; safe for use by several threads.
  */
private[drizzle] object Delta {

  /** Equal bytes between two pieces that are not worth a new one. */
  private val Bridged = 4

  /** @return empty if the lengths differ, or if the difference is longer than half of the bytes */
  def of(before: Array[Byte], now: Array[Byte]): Option[Array[Byte]] =
    if (before.length != now.length) {
      None
    } else {
      val out = new ByteArrayOutputStream
      var written = 0
      var start = next(before, now, 0)
      while (start >= 0 && out.size < now.length / 2) {
        val end = endOf(before, now, start)
        number(out, start - written)
        number(out, end - start)
        out.write(now, start, end - start)
        written = end
        start = next(before, now, end)
      }
      if (start < 0 && out.size <= now.length / 2) Some(out.toByteArray) else None
    }

  /** @param delta as [[of]] has given it
    * @throws IllegalArgumentException if it is no delta to those bytes
    */
  def applied(before: Array[Byte], delta: Array[Byte]): Array[Byte] = {
    val now = before.clone()
    var (from, to) = (0, 0)
    def number(): Int = {
      var (value, shift) = (0, 0)
      var isMore = true
      while (isMore) {
        require(from < delta.length && shift < 32, "The delta ends in a number")
        value |= (delta(from) & 0x7f) << shift
        isMore = delta(from) < 0
        shift += 7
        from += 1
      }
      value
    }
    while (from < delta.length) {
      to += number()
      val length = number()
      require(
        to >= 0 && length >= 0 && length <= now.length - to && length <= delta.length - from,
        "The delta is of other bytes"
      )
      System.arraycopy(delta, from, now, to, length)
      from += length
      to += length
    }
    now
  }

  /** Where they differ next; negative if they do not. */
  private def next(before: Array[Byte], now: Array[Byte], from: Int): Int = {
    val at = Arrays.mismatch(before, from, before.length, now, from, now.length)
    if (at < 0) at else from + at
  }

  private def endOf(before: Array[Byte], now: Array[Byte], start: Int): Int = {
    var (end, i) = (start + 1, start + 1)
    while (i < now.length && i - end < Bridged) {
      if (before(i) != now(i)) end = i + 1
      i += 1
    }
    end
  }

  private def number(out: ByteArrayOutputStream, value: Int): Unit = {
    var left = value
    while (left > 0x7f) {
      out.write(left & 0x7f | 0x80)
      left >>>= 7
    }
    out.write(left)
  }
}
