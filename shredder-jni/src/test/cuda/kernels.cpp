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

#include "kernels.h"

#include <tuple>
#include <utility>

#include "host_cuda.h"

#include "../../main/cuda/shredder.cu"

namespace {

template <class... A, std::size_t... I>
std::function<void()> bind_arguments(void (*function)(A...), void** arguments,
                                     std::index_sequence<I...>) {
  const std::tuple<A...> values{*static_cast<A*>(arguments[I])...};
  return [function, values] { std::apply(function, values); };
}

template <class... A>
Kernel kernel(const char* name, void (*function)(A...)) {
  return {name, {sizeof(A)...}, [function](void** arguments) {
            return bind_arguments(function, arguments, std::index_sequence_for<A...>{});
          }};
}

}  // namespace

const std::vector<Kernel>& kernels() {
  static const auto& all = *new std::vector<Kernel>{
      kernel("gear_tiled", gear_tiled),
      kernel("gear_direct", gear_direct),
      kernel("rabin_tiled", rabin_tiled),
      kernel("rabin_direct", rabin_direct),
  };
  return all;
}
