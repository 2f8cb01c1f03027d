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
# Fuzzes the native code with the address and undefined-behaviour sanitizers: run.sh [SECONDS [TARGET]]
#
# With clang the engine is libFuzzer, which is guided by coverage and keeps its corpus in
# target/fuzz/TARGET-corpus; inputs that fail are left in target/fuzz. Without clang, gcc runs random inputs.
# CLANG names another clang. Targets: search (default) and, where there are more, what lies beside this file
# as TARGET_fuzz.c.
set -eu

seconds=${1:-60}
target=${2:-search}
here=$(cd "$(dirname "$0")" && pwd -P)
module=$(cd "$here/../.." && pwd -P)
out=$module/target/fuzz
sources="$here/${target}_fuzz.c $(ls "$module"/src/main/c/*.c | grep -v '/jni\.c$')"
# Small tiles, so that small inputs cross their edges; large enough for 64 rows.
flags="-std=c11 -g -O1 -Wall -Wextra -Werror -I$module/src/main/c -DSHREDDER_TILE=9600 -DSHREDDER_SANITIZED
  -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
mkdir -p "$out/$target-corpus"
cd "$out"

clang=${CLANG:-clang}
if command -v "$clang" >/dev/null; then
  # shellcheck disable=SC2086 # lists of words
  "$clang" $flags -fsanitize=fuzzer -o "$target-libfuzzer" $sources
  exec "./$target-libfuzzer" -max_total_time="$seconds" -max_len=4096 -print_final_stats=1 "$target-corpus"
fi
echo "There is no $clang: random inputs, not guided by coverage."
# shellcheck disable=SC2086 # lists of words
gcc $flags -o "$target-random" $sources "$here/random_driver.c"
exec "./$target-random" "$seconds"
