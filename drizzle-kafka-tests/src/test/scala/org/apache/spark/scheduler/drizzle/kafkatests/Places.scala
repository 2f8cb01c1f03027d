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
package org.apache.spark.scheduler.drizzle.kafkatests

import java.nio.file.{Files, Path}
import java.util.Comparator

import scala.util.Using

/** Directories of the tests, which stay for whoever looks for why one has failed. */
private[kafkatests] object Places {

  /** An empty one. */
  def fresh(name: String): Path = {
    val place = Path.of("target", "kafka", name).toAbsolutePath
    if (Files.exists(place)) {
      Using.resource(Files.walk(place)) { files =>
        files.sorted(Comparator.reverseOrder[Path]()).forEach(file => Files.delete(file))
      }
    }
    Files.createDirectories(place)
  }
}
