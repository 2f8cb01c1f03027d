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
package org.apache.spark.scheduler.drizzle.sparktests

import java.lang.instrument.{ClassFileTransformer, Instrumentation}
import java.security.ProtectionDomain

import scala.annotation.unused

import org.apache.xbean.asm9.{ClassReader, ClassVisitor, ClassWriter, MethodVisitor, Opcodes}

/** A Java agent that puts a call of [[ClusterMaster.chosen]] at the beginning of `SparkConf.setMaster`.
  *
  * Most of Spark's suites name their master in their code, and they all pass through there. No method here may
  * have SparkConf in its signature: the JVM would load it before the agent is there.
  */
private[sparktests] object MasterAgent {
  private val Conf = "org/apache/spark/SparkConf"

  /** The name under which a JVM calls an agent. */
  def premain(@unused arguments: String, instrumentation: Instrumentation): Unit =
    instrumentation.addTransformer(new ClassFileTransformer {
      override def transform(
          loader: ClassLoader,
          name: String,
          redefined: Class[_],
          domain: ProtectionDomain,
          bytes: Array[Byte]
      ): Array[Byte] = if (name == Conf) withChosenMaster(bytes) else null
    })

  private def withChosenMaster(bytes: Array[Byte]): Array[Byte] = {
    val reader = new ClassReader(bytes)
    val writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS)
    reader.accept(
      new ClassVisitor(Opcodes.ASM9, writer) {
        override def visitMethod(
            access: Int,
            name: String,
            descriptor: String,
            signature: String,
            exceptions: Array[String]
        ): MethodVisitor = {
          val method = super.visitMethod(access, name, descriptor, signature, exceptions)
          if (name == "setMaster") new FirstChoose(method) else method
        }
      },
      0
    )
    writer.toByteArray
  }

  /** `master = ClusterMaster.chosen(this, master)` */
  private final class FirstChoose(method: MethodVisitor)
      extends MethodVisitor(Opcodes.ASM9, method) {
    override def visitCode(): Unit = {
      super.visitCode()
      visitVarInsn(Opcodes.ALOAD, 0)
      visitVarInsn(Opcodes.ALOAD, 1)
      visitMethodInsn(
        Opcodes.INVOKESTATIC,
        "org/apache/spark/scheduler/drizzle/sparktests/ClusterMaster",
        "chosen",
        s"(L$Conf;Ljava/lang/String;)Ljava/lang/String;",
        false
      )
      visitVarInsn(Opcodes.ASTORE, 1)
    }
  }
}
