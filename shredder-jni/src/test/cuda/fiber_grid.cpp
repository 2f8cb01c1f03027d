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

#include "fiber_grid.h"

#include <ucontext.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "host_cuda.h"

thread_local HostDim3 threadIdx;
thread_local HostDim3 blockIdx;
thread_local HostDim3 blockDim;
thread_local HostDim3 gridDim;

namespace {

constexpr std::size_t kStackBytes = 64 << 10;

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[kStackBytes]};
  bool done = true;
};

/* The block that a thread of the host is running. */
struct Block {
  std::vector<std::unique_ptr<Fiber>> fibers;
  ucontext_t scheduler;
  const std::function<void()>* kernel = nullptr;
  unsigned current = 0;

  bool run(unsigned threads);
  void start(Fiber& fiber);
};

thread_local Block block;

void fiber_main() {
  (*block.kernel)();
  Fiber& self = *block.fibers[block.current];
  self.done = true;
  swapcontext(&self.context, &block.scheduler);
}

void Block::start(Fiber& fiber) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, fiber_main, 0);
  fiber.done = false;
}

bool Block::run(unsigned threads) {
  while (fibers.size() < threads) {
    fibers.push_back(std::make_unique<Fiber>());
  }
  for (unsigned t = 0; t < threads; t++) {
    start(*fibers[t]);
  }
  for (;;) {
    unsigned waiting = 0;
    for (unsigned t = 0; t < threads; t++) {
      current = t;
      threadIdx = {t, 0, 0};
      swapcontext(&scheduler, &fibers[t]->context);
      waiting += fibers[t]->done ? 0 : 1;
    }
    if (waiting == 0) {
      return true;
    }
    if (waiting != threads) {
      return false;
    }
  }
}

}  // namespace

void __syncthreads() {
  swapcontext(&block.fibers[block.current]->context, &block.scheduler);
}

bool run_grid(const std::function<void()>& kernel, unsigned blocks, unsigned threads) {
  block.kernel = &kernel;
  blockDim = {threads, 1, 1};
  gridDim = {blocks, 1, 1};
  for (unsigned b = 0; b < blocks; b++) {
    blockIdx = {b, 0, 0};
    if (!block.run(threads)) {
      return false;
    }
  }
  return true;
}
