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
import org.junit.jupiter.api.condition.{EnabledOnOs, OS}

class SharedClassesTest {

  @Test
  @EnabledOnOs(Array(OS.LINUX))
  def executorsMapTheArchive(): Unit = {
    val sc = TestCluster.start()
    try {
      val archive = SharedClasses.archive.toString
      val mapped = sc
        .parallelize(0 until 2, 2)
        .map(_ => Files.readString(Path.of("/proc/self/maps")).contains(archive))
        .collect()
      assertThat(mapped).containsExactly(true, true)
    } finally sc.stop()
  }
}
