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

import scala.concurrent.Future
import scala.reflect.ClassTag

import org.apache.spark.SparkConf
import org.apache.spark.rpc.{RpcAddress, RpcEndpointRef, RpcTimeout}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class TransportTest {
  private var seconds = 0L

  private val endpoint = new RpcEndpointRef(new SparkConf(false)) {
    override def address: RpcAddress = RpcAddress("there", 1)
    override def name: String = "there"
    override def send(message: Any): Unit = throw new AssertionError("Nobody would hear of a loss")
    override def ask[T: ClassTag](message: Any, timeout: RpcTimeout): Future[T] = {
      seconds = timeout.duration.toSeconds
      Future.never
    }
  }

  /** A large model's updates, on a network that is slow or much used. */
  @Test
  def anAnswerToManyBytesIsWaitedForLonger(): Unit = {
    Transport.Direct.ask(endpoint, new Array[Byte](1000))
    assertThat(seconds).isEqualTo(10L)
    Transport.Direct.ask(endpoint, new Array[Byte](20 << 20))
    assertThat(seconds).isEqualTo(30L)
  }
}
