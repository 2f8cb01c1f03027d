#!/bin/sh
# Builds the stand-in for libcuda.so.1 into the directory given, if there is a C++ compiler.
# Tests that need it are skipped where it is not there.
# Without fortification: it takes the jumps between the fibers of a block for an attack.
set -eu
out=$1
here=$(cd "$(dirname "$0")" && pwd)
compiler=${CXX:-g++}
if ! command -v "$compiler" >/dev/null 2>&1; then
  echo "No $compiler: the tests of the CUDA backend will be skipped."
  exit 0
fi
library=$out/libcuda.so.1
if [ -e "$library" ] && [ -z "$(find "$here" "$here/../../main/cuda" -newer "$library" -type f)" ]; then
  exit 0
fi
mkdir -p "$out"
strict=
[ "${SHREDDER_WARNINGS:-}" != error ] || strict=-Werror
"$compiler" -std=c++17 -O2 -g -U_FORTIFY_SOURCE -Wall -Wextra $strict -fsanitize=undefined -fsanitize-undefined-trap-on-error -fPIC -fvisibility=hidden -pthread \
  -shared -Wl,-soname,libcuda.so.1 -o "$library.new" "$here"/*.cpp
mv "$library.new" "$library"
