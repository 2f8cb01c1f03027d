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

import java.io.File
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import org.apache.spark.{SPARK_VERSION, SparkConf, SparkContext}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.{Test, Timeout}
import org.junit.jupiter.api.io.TempDir

/** The plug-in in a Spark that it was not built for. */
@Timeout(300)
class BuiltForTest {
  @Test
  def aSparkIsKnownByItsFirstTwoNumbers(): Unit = {
    for (same <- Seq("4.1", "4.1.0", "4.1.10", "4.1.0-SNAPSHOT", "4.1.0.7-distribution-3"))
      assertThat(BuiltFor.isSame(same, "4.1")).isTrue
    for (other <- Seq("4", "4.0.1", "4.10.0", "4.2.0", "3.5.6", "14.1.0"))
      assertThat(BuiltFor.isSame(other, "4.1")).isFalse
  }

  @Test
  def anotherSparkIsLeftAlone(@TempDir directory: Path): Unit = {
    // What the jar says of itself; all else is as it was built.
    val said = directory.resolve("org/apache/spark/scheduler/drizzle/built-for.properties")
    Files.createDirectories(said.getParent)
    Files.writeString(said, "spark=9.9\nscala=2.13\n")
    val output = directory.resolve("output")
    val classPath = directory.toString + File.pathSeparator + TestCluster.classPath
    val main = "org.apache.spark.scheduler.drizzle.SquaresApplication"
    val process = TestCluster.startJava(output, Nil, classPath, main, "squares")
    try assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue
    finally process.destroyForcibly()
    val lines = Files.readString(output)
    assertThat(lines).contains(
      s"built for Spark 9.9 with Scala 2.13, and this is Spark $SPARK_VERSION with Scala 2.13"
    )
    assertThat(lines).contains("The squares' sum is 385, and the scheduler is DAGScheduler")
    assertThat(process.exitValue).isEqualTo(0)
  }
}

/** An application like any other. */
private[drizzle] object SquaresApplication {
  def main(arguments: Array[String]): Unit = {
    val conf = new SparkConf(false)
      .setMaster("local-cluster[1,1,1024]")
      .setAppName(arguments.head)
      .set("spark.ui.enabled", "false")
      .set("spark.driver.host", "127.0.0.1")
      .set("spark.driver.bindAddress", "127.0.0.1")
      .set("spark.executor.extraClassPath", TestCluster.classPath)
      .set("spark.plugins", classOf[DrizzlePlugin].getName)
    val sc = new SparkContext(conf)
    try {
      val squares = sc.parallelize(1 to 10, 4).map(i => (i % 3, i * i)).reduceByKey(_ + _)
      val sum = squares.values.sum().toInt
      val scheduler = sc.dagScheduler.getClass.getSimpleName
      println(s"The squares' sum is $sum, and the scheduler is $scheduler")
    } finally sc.stop()
  }
}
