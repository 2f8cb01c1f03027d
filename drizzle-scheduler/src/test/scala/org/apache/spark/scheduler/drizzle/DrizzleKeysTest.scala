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

import java.nio.file.{Files, Path}

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

import org.apache.spark.internal.config.ConfigEntry

final class DrizzleKeysTest {

  /** What fails here is to be put into the table of docs/spark.md, in place of what is there. */
  @Test
  def theGuideSaysOfEachKeyWhatIsSaidHere(): Unit = {
    val guide = Files.readString(Path.of("..", "docs", "spark.md"))
    val documented = guide.linesIterator.filter(_.startsWith("| `spark.freshet.")).toSeq
    val expected = DrizzleKeys.all.filter(_.isPublic).map(row)
    assertThat(documented.mkString("\n")).isEqualTo(expected.mkString("\n"))
  }

  private def row(key: ConfigEntry[_]): String =
    s"| `${key.key}` | `${key.defaultValueString}` | ${key.doc} |"
}
