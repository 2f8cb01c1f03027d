# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.
"""Compiles shredder.cu with NVRTC and prints the PTX: nvrtc.py LIBRARY_DIRECTORY SOURCE_DIRECTORY.

Used by build-ptx.sh.
"""

import ctypes
import hashlib
import pathlib
import sys

OPTIONS = (b"--gpu-architecture=compute_70", b"--std=c++17")
HEADER = "shredder_core.h"
SOURCE = "shredder.cu"


class Nvrtc:
    """The calls of NVRTC that it takes to compile one program."""

    def __init__(self, directory):
        # NVRTC looks for this one by name only.
        ctypes.CDLL(str(directory / "libnvrtc-builtins.so.12.0"), ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(str(directory / "libnvrtc.so.12"))

    def _check(self, result):
        if result != 0:
            describe = self._library.nvrtcGetErrorString
            describe.restype = ctypes.c_char_p
            raise RuntimeError(describe(result).decode())

    def _text(self, program, size_of, copy):
        size = ctypes.c_size_t()
        self._check(size_of(program, ctypes.byref(size)))
        text = ctypes.create_string_buffer(size.value)
        self._check(copy(program, text))
        return text.value.decode()

    def compile(self, source, header):
        program = ctypes.c_void_p()
        self._check(
            self._library.nvrtcCreateProgram(
                ctypes.byref(program),
                source,
                SOURCE.encode(),
                1,
                (ctypes.c_char_p * 1)(header),
                (ctypes.c_char_p * 1)(HEADER.encode()),
            )
        )
        options = (ctypes.c_char_p * len(OPTIONS))(*OPTIONS)
        result = self._library.nvrtcCompileProgram(program, len(OPTIONS), options)
        log = self._text(
            program, self._library.nvrtcGetProgramLogSize, self._library.nvrtcGetProgramLog
        )
        if log.strip():
            raise RuntimeError(log)
        self._check(result)
        return self._text(program, self._library.nvrtcGetPTXSize, self._library.nvrtcGetPTX)


def main():
    libraries, sources = map(pathlib.Path, sys.argv[1:])
    header = (sources / HEADER).read_bytes()
    source = (sources / SOURCE).read_bytes()
    print("// Made by build-ptx.sh from shredder_core.h and shredder.cu; not to be edited.")
    print("// SHA-256 of the two, one after the other: " + hashlib.sha256(header + source).hexdigest())
    print(Nvrtc(libraries).compile(source, header), end="")


main()
