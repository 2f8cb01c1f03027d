#!/bin/sh
# Compiles shredder.cu to src/main/resources/org/freshet/shredder/cuda/shredder.ptx.
#
#   build-ptx.sh           write the file
#   build-ptx.sh --check   exit with 1 if the file is not what the sources compile to
#
# Needs python3 with pip, and no GPU and no CUDA toolkit: the compiler comes from PyPI, in the version
# and with the digest of nvrtc-requirements.txt, into target/nvrtc. PTX 8.0 for compute_70 is taken by
# every driver from CUDA 12.0 on, which translates it for its device.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
module=$(cd "$here/../../.." && pwd)
nvrtc=$module/target/nvrtc
ptx=$module/src/main/resources/org/freshet/shredder/cuda/shredder.ptx

if [ ! -e "$nvrtc/nvidia" ]; then
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --require-hashes --target "$nvrtc" --requirement "$here/nvrtc-requirements.txt"
fi
if [ "${1:-}" = --fetch ]; then
  exit
fi
python3 "$here/nvrtc.py" "$nvrtc/nvidia/cuda_nvrtc/lib" "$here" > "$module/target/shredder.ptx"
case ${1:-} in
  --check) cmp "$module/target/shredder.ptx" "$ptx" ;;
  '') cp "$module/target/shredder.ptx" "$ptx" ;;
  *) echo "Usage: $0 [--check|--fetch]" >&2; exit 2 ;;
esac
