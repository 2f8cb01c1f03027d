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
package org.freshet.drizzle.bench

import java.nio.file.Path

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** The application on a standalone master with two workers, whose executors are processes. */
@Timeout(600)
class StreamedQueriesTest {
  @Test def everyBatchOfEachQueryIsMeasured(@TempDir directory: Path): Unit = {
    val sc = BenchCluster.start("Streamed queries")
    try {
      Applications.awaitExecutors(sc)
      val spark = StreamedQueries.session()
      StreamedQueries.Queries.foreach { query =>
        val lines = StreamedQueries
          .run(spark, query, directory, Batches)
          .map(_.split('\t').toSeq)
        assertThat(lines.map(_.head)).isEqualTo(Seq("result", "streamed", "streamed"))
        assertThat(lines.map(_(1)).distinct).isEqualTo(Seq(query.name))
        assertThat(lines.head(2).toInt).isEqualTo(query.keys)
        assertThat(lines.tail.map(_(2))).isEqualTo(StreamedQueries.Phases)
        val Seq(jobs, whole) = lines.tail.map(_(3).split(',').toSeq.map(_.toLong)): @unchecked
        assertThat(jobs.length).isEqualTo(Batches)
        assertThat(jobs.zip(whole).forall { case (part, all) => part > 0 && part <= all }).isTrue
        ()
      }
    } finally sc.stop()
  }

  private val Batches = 3
}
