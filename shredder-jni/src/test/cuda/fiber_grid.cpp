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

#include <setjmp.h>
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

/* A context makes the stack; from then on jumps, which cost no system call, go from fiber to fiber. */
struct Fiber {
  ucontext_t first_entry;
  jmp_buf at;
  std::unique_ptr<char[]> stack{new char[kStackBytes]};
  bool entered = false;
  bool done = true;
};

/* The block that a thread of the host is running. */
class Block {
 public:
  bool run(const std::function<void()>& kernel, unsigned threads);
  void run_fiber();
  void yield();

 private:
  void resume(Fiber& fiber);

  std::vector<std::unique_ptr<Fiber>> fibers_;
  jmp_buf scheduler_;
  const std::function<void()>* kernel_ = nullptr;
  unsigned current_ = 0;
};

thread_local Block block;

void fiber_main() { block.run_fiber(); }

/* One kernel after the other. */
void Block::run_fiber() {
  for (;;) {
    (*kernel_)();
    fibers_[current_]->done = true;
    yield();
  }
}

void Block::yield() {
  if (_setjmp(fibers_[current_]->at) == 0) {
    _longjmp(scheduler_, 1);
  }
}

void Block::resume(Fiber& fiber) {
  if (_setjmp(scheduler_) != 0) {
    return;
  }
  if (fiber.entered) {
    _longjmp(fiber.at, 1);
  }
  fiber.entered = true;
  getcontext(&fiber.first_entry);
  fiber.first_entry.uc_stack.ss_sp = fiber.stack.get();
  fiber.first_entry.uc_stack.ss_size = kStackBytes;
  fiber.first_entry.uc_link = nullptr;
  makecontext(&fiber.first_entry, fiber_main, 0);
  setcontext(&fiber.first_entry);
}

bool Block::run(const std::function<void()>& kernel, unsigned threads) {
  kernel_ = &kernel;
  while (fibers_.size() < threads) {
    fibers_.push_back(std::make_unique<Fiber>());
  }
  for (unsigned t = 0; t < threads; t++) {
    fibers_[t]->done = false;
  }
  for (;;) {
    unsigned waiting = 0;
    for (unsigned t = 0; t < threads; t++) {
      current_ = t;
      threadIdx = {t, 0, 0};
      resume(*fibers_[t]);
      waiting += fibers_[t]->done ? 0 : 1;
    }
    if (waiting == 0) {
      return true;
    }
    if (waiting != threads) {
      fibers_.clear();
      return false;
    }
  }
}

}  // namespace

void __syncthreads() { block.yield(); }

bool run_grid(const std::function<void()>& kernel, unsigned blocks, unsigned threads) {
  blockDim = {threads, 1, 1};
  gridDim = {blocks, 1, 1};
  for (unsigned b = 0; b < blocks; b++) {
    blockIdx = {b, 0, 0};
    if (!block.run(kernel, threads)) {
      return false;
    }
  }
  return true;
}
