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
# Builds a benchmark in C and runs it:
#
#   run.sh chunking [MEGABYTES [SECONDS]]      the inner loops, one thread and two
#   run.sh reuse OLD NEW [AVERAGE]             chunkers on a file and its edited version
#   run.sh edit FILE SEED EDITS                prints FILE with some of its lines edited
#
# CC names another compiler than gcc.
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
module=$(cd "$here/../.." && pwd -P)
out=$module/target/bench
name=${1:?usage: run.sh chunking|reuse|edit ARGUMENTS}
shift
case $name in
  chunking | reuse) sources="$here/${name}_bench.c $(ls "$module"/src/main/c/*.c | grep -v '/jni\.c$')" ;;
  edit) sources=$here/edit.c ;;
  *)
    echo "There is no benchmark $name" >&2
    exit 2
    ;;
esac
mkdir -p "$out"
if [ ! -x "$out/$name" ] || [ -n "$(find "$here" "$module/src/main/c" -newer "$out/$name")" ]; then
  # shellcheck disable=SC2086 # a list of files
  "${CC:-gcc}" -std=c11 -O3 -Wall -Wextra -Wshadow -Werror -o "$out/$name" $sources -lpthread
fi
exec "$out/$name" "$@"
