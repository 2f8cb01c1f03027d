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

#ifndef STANDIN_KERNELS_H
#define STANDIN_KERNELS_H

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

/* A kernel as cuLaunchKernel sees it. */
struct Kernel {
  std::string name;
  /* Sizes of its parameters, in bytes. */
  std::vector<std::size_t> parameters;
  /* Copies what the pointers point to, and gives back a call with that. */
  std::function<std::function<void()>(void** arguments)> bind;
};

/* Those of shredder.cu. */
const std::vector<Kernel>& kernels();

#endif  // STANDIN_KERNELS_H
