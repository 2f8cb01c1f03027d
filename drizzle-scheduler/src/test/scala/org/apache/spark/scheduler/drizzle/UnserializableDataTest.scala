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

import java.io.ObjectInputStream

import org.apache.spark.{SparkContext, SparkEnv}
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.Test

class UnserializableDataTest {

  /** Nor does it leave anything behind that looks like a task which runs. */
  @Test
  def aResultThatCannotBeReadFailsItsJobAndNoOther(): Unit = {
    val sc = TestCluster.start()
    try {
      val dispatcher = sc.dagScheduler.asInstanceOf[DrizzleDAGScheduler].dispatcher
      assertThatThrownBy(() => sc.parallelize(0 until 4, 4).map(new ReadInExecutors(_)).collect())
        .hasMessageContaining("This is meant to fail")
      assertThat(sc.parallelize(1 to 10, 2).map(i => (i, i)).groupByKey().count()).isEqualTo(10L)
      TestCluster.await(dispatcher.openTaskSets == 0)
    } finally sc.stop()
  }

  @Test
  def dataThatCannotBeSerializedFailsItsJobAndNoOther(): Unit = {
    val sc = TestCluster.start()
    try {
      assertThatThrownBy(() => sc.parallelize(Seq(new Object), 1).map(_.hashCode).collect())
        .hasMessageContaining("Failed to serialize the tasks of stage 0.0")
      assertThat(sc.parallelize(1 to 10, 2).map(i => (i, i)).groupByKey().count()).isEqualTo(10L)
      assertThat(TestCluster.source(sc).dispatched.getCount).isEqualTo(2L)
    } finally sc.stop()
  }
}

private final class ReadInExecutors(val i: Int) extends Serializable {
  private def readObject(in: ObjectInputStream): Unit = {
    require(SparkEnv.get.executorId != SparkContext.DRIVER_IDENTIFIER, "This is meant to fail")
    in.defaultReadObject()
  }
}
