#!/bin/sh
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.
#
# Builds libshredder.so for this platform: build.sh OUTPUT_DIRECTORY JAVA_HOME
#
# It goes to OUTPUT_DIRECTORY/META-INF/native/PLATFORM, its SHA-256 digest beside it. Equal sources and an
# equal compiler make an equal file, wherever they lie. Without a compiler or the JDK's headers nothing is
# built, which is no error: the library then works in Java alone. CC names another compiler than gcc.
# With SHREDDER_WARNINGS=error warnings are errors, as where every change is checked; elsewhere a compiler
# that warns of more than those known here still builds.
set -eu

if [ $# -ne 2 ]; then
  echo "usage: $0 OUTPUT_DIRECTORY JAVA_HOME" >&2
  exit 2
fi
sources=$(cd "$(dirname "$0")" && pwd -P)
java_home=$2
compiler=${CC:-gcc}

without() {
  echo "libshredder.so is not built: $1. Chunking will run in Java, at about half the speed."
  exit 0
}

[ "$(uname -s)" = Linux ] || without "it is for Linux, this is $(uname -s)"
command -v "$compiler" >/dev/null || without "there is no $compiler"
[ -f "$java_home/include/jni.h" ] || without "there is no $java_home/include/jni.h"

directory=$1/META-INF/native/linux-$(uname -m)
library=$directory/libshredder.so
if [ -f "$library.sha256" ] && [ -z "$(find "$sources" -newer "$library.sha256")" ]; then
  exit 0
fi
mkdir -p "$directory"
strict=
[ "${SHREDDER_WARNINGS:-}" != error ] || strict=-Werror

# No build id, no paths, no time: reproducible. Nothing but the entry points is visible from outside.
"$compiler" -std=c11 -O3 -fPIC -shared -fvisibility=hidden -fno-ident -fstack-protector-strong \
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes $strict \
  -ffile-prefix-map="$sources=." \
  -I"$java_home/include" -I"$java_home/include/linux" \
  -Wl,--build-id=none -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs -s \
  -o "$library" "$sources"/*.c
sha256sum "$library" | cut -d ' ' -f 1 >"$library.sha256"
echo "Built $library"
