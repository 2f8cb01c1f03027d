#!/bin/sh
# Measures what the GPU of this machine is worth for chunking, and checks that it cuts as the
# processor does. Options are those of GpuProbe: --json FILE, --bytes N, --most-buffer N.
#
# Needs the driver of an NVIDIA GPU for CUDA 12.0 or later, Java 17 and what ./mvnw needs. On a machine without
# Maven, bring shredder-jni/target/classes and shredder-jni/target/gpu-probe along from one where
#   ./mvnw -DskipTests package -pl shredder-jni
# was run; on one without Java, also a small Java in target/gpu-probe/java, made there with
#   jlink --add-modules java.base,java.logging --strip-debug --compress=2 --output target/gpu-probe/java
set -eu
module=$(cd "$(dirname "$0")/../../.." && pwd)
libraries=$module/target/gpu-probe
if [ ! -e "$module/target/classes/org/freshet/shredder/cuda/GpuProbe.class" ] || [ ! -e "$libraries" ]; then
  (cd "$module/.." && ./mvnw -q -DskipTests package -pl shredder-jni)
fi
if [ -x "$libraries/java/bin/java" ]; then
  java=$libraries/java/bin/java
else
  java=${JAVA_HOME:+$JAVA_HOME/bin/}java
fi
exec "$java" -Xmx2g -XX:MaxDirectMemorySize=4g -cp "$module/target/classes:$libraries/*" \
  org.freshet.shredder.cuda.GpuProbe "$@"
