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

import org.apache.spark.SparkEnv
import org.apache.spark.storage.BlockManager

/** An executor's shuffle manager. Spark 3.5 makes it before it starts plug-ins; nobody has asked it for
  * anything then.
  */
private[drizzle] object ShuffleManagerInUse {

  /** @param configure says in the configuration that it is to be Freshet's
    * @throws ReflectiveOperationException if this Spark keeps it elsewhere; then nothing is configured
    */
  def change(configure: => Unit): Unit = {
    val env = SparkEnv.get
    val ofEnv = Private.field(classOf[SparkEnv], "shuffleManager")
    val ofBlocks = Private.field(classOf[BlockManager], "shuffleManager")
    configure
    val before = env.shuffleManager
    val now = new DrizzleShuffleManager(env.conf)
    ofEnv.set(env, now)
    ofBlocks.set(env.blockManager, now)
    before.stop()
  }
}
