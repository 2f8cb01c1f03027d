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
package org.apache.spark.scheduler.drizzle.ui

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.drizzle.BuiltFor
import org.apache.spark.status.{AppHistoryServerPlugin, ElementTrackingStore}
import org.apache.spark.ui.{SparkUI, SparkUITab}

/** The tab "Drizzle" in the UI of an application. */
private[spark] final class DrizzleTab(parent: SparkUI) extends SparkUITab(parent, "drizzle") {
  attachPage(new DrizzlePage(this, new DrizzleStore(parent.store.store), parent.store))
}

private[spark] object DrizzleTab extends Logging {

  /** Adds it to the UI of a running application, if that has one. */
  def attach(sc: SparkContext): Unit = for (ui <- sc.ui)
    try
      sc.statusStore.store match {
        case store: ElementTrackingStore =>
          sc.listenerBus.addToStatusQueue(new DrizzleListener(store))
          ui.attachTab(new DrizzleTab(ui))
        case other => logInfo(s"There is no tab for Drizzle, since Spark has ${other.getClass}")
      }
    catch {
      // Whatever Spark this is, its applications must run.
      case e: LinkageError => logInfo(s"There is no tab for Drizzle in the UI of this Spark: $e")
    }
}

/** Shows the tab in Spark's history server, which finds this class by its name in
  * META-INF/services, for applications that ran with the plug-in.
  */
private[spark] final class DrizzleHistory extends AppHistoryServerPlugin {
  override def createListeners(conf: SparkConf, store: ElementTrackingStore): Seq[SparkListener] =
    if (BuiltFor.isThis) Seq(new DrizzleListener(store)) else Seq.empty

  override def setupUI(ui: SparkUI): Unit =
    if (BuiltFor.isThis && new DrizzleStore(ui.store.store).latest.isDefined) {
      ui.attachTab(new DrizzleTab(ui))
    }
}
