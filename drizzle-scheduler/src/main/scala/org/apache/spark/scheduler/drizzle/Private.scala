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

import java.lang.invoke.SerializedLambda
import java.lang.reflect.{Field, Method}

/** Finds what Spark keeps to itself. */
private[spark] object Private {
  def field(of: Class[_], name: String): Field = {
    val field = of.getDeclaredFields
      .find(f => isCalled(f.getName, name))
      .getOrElse(throw new NoSuchFieldException(s"${of.getSimpleName}.$name"))
    field.setAccessible(true)
    field
  }

  def method(of: Class[_], name: String, parameters: Class[_]*): Method = {
    val method = of.getDeclaredMethods
      .find(m => isCalled(m.getName, name) && m.getParameterTypes.sameElements(parameters))
      .getOrElse(throw new NoSuchMethodException(s"${of.getSimpleName}.$name"))
    method.setAccessible(true)
    method
  }

  /** What a function is made of that can be serialized.
    *
    * @throws ReflectiveOperationException if it is no lambda
    */
  def lambda(function: AnyRef): SerializedLambda =
    method(function.getClass, "writeReplace").invoke(function) match {
      case lambda: SerializedLambda => lambda
      case other                    => throw new ClassNotFoundException(String.valueOf(other))
    }

  /** What a lambda takes along from where it was made. */
  def captured(lambda: SerializedLambda): Seq[AnyRef] =
    (0 until lambda.getCapturedArgCount).map(lambda.getCapturedArg)

  /** What this Spark does not have of all that is needed; empty if it has all. */
  def missing: Option[String] =
    try {
      StockScheduler.check()
      BusyExecutors.check()
      StockTask.check()
      InlineBroadcasts.check()
      TaskMetricsTemplate.check()
      TaskSerializers.check()
      TaskThreads.check()
      PinnedOutputs.check()
      None
    } catch { case e: ReflectiveOperationException => Some(e.getMessage) }

  /** The compiler may have put the class's name in front. */
  private def isCalled(inBytecode: String, name: String): Boolean =
    inBytecode == name || inBytecode.endsWith("$$" + name)
}
