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
package org.apache.spark.scheduler.drizzle.bench

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD

/** A pair of equal numbers in each partition. Simulated executors can read its partitions, which takes no more
  * than Spark's classes.
  */
private[bench] final class Numbers(sc: SparkContext, count: Int) extends RDD[(Int, Int)](sc, Nil) {
  override protected def getPartitions: Array[Partition] =
    Array.tabulate(count)(new Numbers.Part(_))

  override def compute(part: Partition, context: TaskContext): Iterator[(Int, Int)] =
    Iterator((part.index, part.index))
}

private[bench] object Numbers {
  private final class Part(override val index: Int) extends Partition
}
