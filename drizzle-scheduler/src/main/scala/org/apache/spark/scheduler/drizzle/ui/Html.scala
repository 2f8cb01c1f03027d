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

import scala.xml.{Elem, MetaData, Node, Null, Text, TopScope, UnprefixedAttribute}

/** Elements of a page; the formatter of this project knows no XML literals. */
private[ui] object Html {

  /** An element with its attributes, and with what is in it. */
  def element(name: String, attributes: (String, Any)*)(content: Node*): Elem = {
    val all = attributes.foldRight(Null: MetaData) { case ((key, value), next) =>
      new UnprefixedAttribute(key, value.toString, next)
    }
    Elem(null, name, all, TopScope, minimizeEmpty = false, content: _*)
  }

  /** Escaped where it is written. */
  def text(value: String): Node = Text(value)
}
