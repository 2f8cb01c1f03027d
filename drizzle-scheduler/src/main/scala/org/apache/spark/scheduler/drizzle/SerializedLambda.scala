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

import java.io.InvalidObjectException
import java.lang.invoke.{SerializedLambda => JavasLambda}
import java.lang.reflect.{InvocationTargetException, Method}

/** What Java's class of this name is read as, which it has to be like. It does the same, but remembers for each
  * class how to make its lambdas: Java searches all of the class's methods each time, which is a third of what it
  * takes to read a small task.
  */
@SerialVersionUID(8025925345765570181L)
private[drizzle] final class SerializedLambda extends Serializable {
  private val capturingClass: Class[_] = null
  private val functionalInterfaceClass: String = null
  private val functionalInterfaceMethodName: String = null
  private val functionalInterfaceMethodSignature: String = null
  private val implClass: String = null
  private val implMethodName: String = null
  private val implMethodSignature: String = null
  private val implMethodKind: Int = 0
  private val instantiatedMethodType: String = null
  private val capturedArgs: Array[AnyRef] = null

  private def readResolve(): AnyRef = {
    val javas = new JavasLambda(
      capturingClass,
      functionalInterfaceClass,
      functionalInterfaceMethodName,
      functionalInterfaceMethodSignature,
      implMethodKind,
      implClass,
      implMethodName,
      implMethodSignature,
      instantiatedMethodType,
      capturedArgs
    )
    SerializedLambda.make(capturingClass, javas)
  }
}

private[drizzle] object SerializedLambda {

  /** Whether [[like]] can be called. */
  def canMake(lambda: JavasLambda, loader: ClassLoader): Boolean =
    makers.get(capturingClass(lambda, loader)).isDefined

  /** A lambda that takes along something else.
    *
    * @param loader the lambda's
    */
  def like(lambda: JavasLambda, loader: ClassLoader, captured: Array[AnyRef]): AnyRef = {
    val capturing = capturingClass(lambda, loader)
    val other = new JavasLambda(
      capturing,
      lambda.getFunctionalInterfaceClass,
      lambda.getFunctionalInterfaceMethodName,
      lambda.getFunctionalInterfaceMethodSignature,
      lambda.getImplMethodKind,
      lambda.getImplClass,
      lambda.getImplMethodName,
      lambda.getImplMethodSignature,
      lambda.getInstantiatedMethodType,
      captured
    )
    make(capturing, other)
  }

  private def capturingClass(lambda: JavasLambda, loader: ClassLoader): Class[_] =
    Class.forName(lambda.getCapturingClass.replace('/', '.'), false, loader)

  private def make(capturing: Class[_], lambda: JavasLambda): AnyRef = {
    val maker = makers.get(capturing).getOrElse(throw new LambdaOfJava)
    try maker.invoke(null, lambda)
    catch {
      case e: InvocationTargetException =>
        val invalid = new InvalidObjectException(s"A lambda of $capturing can't be made")
        invalid.initCause(e)
        throw invalid
    }
  }

  /** The method that makes a class's lambdas, unless it must not be called. */
  private val makers = new ClassValue[Option[Method]] {
    override def computeValue(of: Class[_]): Option[Method] = {
      val maker = of.getDeclaredMethod("$deserializeLambda$", classOf[JavasLambda])
      if (maker.trySetAccessible()) Some(maker) else None
    }
  }
}

/** A lambda of Java's own classes, which Java alone can make. */
private[drizzle] final class LambdaOfJava extends InvalidObjectException("A lambda of Java's own")
