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

/*
 * A stand-in for libcuda.so.1: the calls of the driver API that this project makes, without a GPU.
 * Kernels are those of shredder.cu, compiled for the host; each stream has a thread, so that work is
 * as asynchronous as on a device, and buffers that are used again too early show. PTX is not run, but
 * its list of kernels and their parameters must be that of the source.
 *
 * Every call checks its handles and ranges and can be made to fail (plan.h). What is open is counted
 * in a file beside the plan.
 */
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fiber_grid.h"
#include "kernels.h"
#include "plan.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Result = int;
using DevicePointer = std::uint64_t;
using Clock = std::chrono::steady_clock;

/* Of cuda.h. */
constexpr Result kSuccess = 0;
constexpr Result kInvalidValue = 1;
constexpr Result kOutOfMemory = 2;
constexpr Result kNoDevice = 100;
constexpr Result kInvalidDevice = 101;
constexpr Result kInvalidContext = 201;
constexpr Result kInvalidPtx = 218;
constexpr Result kInvalidHandle = 400;
constexpr Result kNotFound = 500;
constexpr Result kNotReady = 600;
constexpr Result kLaunchFailed = 719;
constexpr int kMultiprocessorCount = 16;

constexpr int kMultiprocessors = 2;
constexpr unsigned kMostDevices = 8;

struct Device {
  int ordinal = 0;
  unsigned long long used = 0;
  Result poisoned = kSuccess;
};

struct Module {
  std::string text;
};

struct Event {
  long recorded = 0;
  long reached = 0;
  Clock::time_point time;

  bool passed() const { return reached == recorded; }
};

/* Runs what is put to it, in order, on a thread of its own. */
class Stream {
 public:
  explicit Stream(Device* device) : device_(device), thread_([this] { run(); }) {}

  ~Stream() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  Device* device() const { return device_; }

  void put(std::function<void()> work) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back(std::move(work));
    }
    changed_.notify_all();
  }

  void drain() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
  }

 private:
  void run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
      if (queue_.empty()) {
        return;
      }
      const std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      work();
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  Device* device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  bool closed_ = false;
  std::thread thread_;
};

struct Allocation {
  std::size_t bytes;
  Device* device;
};

/* Never destroyed: threads of streams may outlive main. */
struct Driver {
  std::mutex mutex;
  std::condition_variable event_passed;
  std::string plan_text;
  Plan plan;
  Device devices[kMostDevices];
  std::map<DevicePointer, Allocation> device_memory;
  std::map<std::uintptr_t, Allocation> pinned;
  std::map<void*, Device*> modules;
  std::map<void*, Device*> streams;
  std::map<void*, Device*> events;

  Driver() : plan_text(read_plan()), plan(Plan::parse(plan_text)) {
    for (unsigned i = 0; i < kMostDevices; i++) {
      devices[i].ordinal = static_cast<int>(i);
    }
  }

  void renew_plan() {
    const std::string text = read_plan();
    if (text != plan_text) {
      plan_text = text;
      plan = Plan::parse(text);
      for (Device& device : devices) {
        if (device.poisoned != kSuccess) {
          forget(&device);
        }
      }
      report();
    }
  }

  /* What a poisoned device had cannot be freed any more; it is as if by a process that has ended. */
  void forget(Device* device) {
    device->poisoned = kSuccess;
    device->used = 0;
    erase_of(device, &device_memory, [](const Allocation& a) { return a.device; });
    erase_of(device, &pinned, [](const Allocation& a) { return a.device; });
    for (auto* handles : {&modules, &streams, &events}) {
      erase_of(device, handles, [](Device* owner) { return owner; });
    }
  }

  template <class Map, class OwnerOf>
  static void erase_of(const Device* device, Map* map, OwnerOf owner_of) {
    for (auto it = map->begin(); it != map->end();) {
      it = owner_of(it->second) == device ? map->erase(it) : std::next(it);
    }
  }

  /* Of the calling thread's current device, or of any without one. */
  Result on_call(const char* call, Device* device) {
    renew_plan();
    if (device != nullptr && device->poisoned != kSuccess) {
      return device->poisoned;
    }
    bool lasts = false;
    const Result result = plan.on_call(call, &lasts);
    if (lasts && device != nullptr) {
      device->poisoned = result;
    }
    return result;
  }

  void report() const {
    const char* path = std::getenv("SHREDDER_CUDA_STANDIN");
    if (path != nullptr) {
      std::ofstream file(std::string(path) + ".open");
      file << "device memory " << device_memory.size() << "\npinned memory " << pinned.size()
           << "\nmodules " << modules.size() << "\nstreams " << streams.size() << "\nevents "
           << events.size() << "\n";
    }
  }

  bool owns(DevicePointer address, std::size_t bytes, const Device* device) const {
    auto after = device_memory.upper_bound(address);
    if (after == device_memory.begin()) {
      return false;
    }
    const auto& [start, allocation] = *--after;
    return allocation.device == device && address + bytes <= start + allocation.bytes;
  }

  bool is_pinned(const void* address, std::size_t bytes) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    auto after = pinned.upper_bound(at);
    if (after == pinned.begin()) {
      return false;
    }
    --after;
    return at + bytes <= after->first + after->second.bytes;
  }
};

Driver& driver() {
  static Driver& only = *new Driver;
  return only;
}

/* A context is its device. */
thread_local std::vector<Device*> contexts;

Device* current() { return contexts.empty() ? nullptr : contexts.back(); }

/* Opens every call that needs a current context. */
#define BEGIN(call)                                             \
  std::unique_lock<std::mutex> lock(driver().mutex);            \
  if (current() == nullptr) {                                   \
    return kInvalidContext;                                     \
  }                                                             \
  if (const Result fault = driver().on_call(call, current())) { \
    return fault;                                               \
  }

bool known(const std::map<void*, Device*>& handles, void* handle) {
  return handles.count(handle) > 0;
}

Stream* stream_of_context(void* handle) {
  const auto found = driver().streams.find(handle);
  return found != driver().streams.end() && found->second == current()
             ? static_cast<Stream*>(handle)
             : nullptr;
}

/* Sizes of the parameters that PTX declares for a kernel; false if it has no such kernel. */
bool declared_parameters(const std::string& ptx, const std::string& name,
                         std::vector<std::size_t>* sizes) {
  const std::size_t entry = ptx.find(".visible .entry " + name + "(");
  if (entry == std::string::npos) {
    return false;
  }
  const std::size_t end = ptx.find(')', entry);
  static const std::string kParameter = ".param .";
  for (std::size_t at = ptx.find(kParameter, entry); at < end; at = ptx.find(kParameter, at)) {
    at += kParameter.size();
    sizes->push_back(std::strtoul(ptx.c_str() + at + 1, nullptr, 10) / 8);
  }
  return true;
}

void run_kernel(Device* device, const std::function<void()>& call, unsigned blocks,
                unsigned threads) {
  int delay = 0;
  Result fault = kSuccess;
  {
    std::lock_guard<std::mutex> lock(driver().mutex);
    fault = driver().on_call("kernel", device);
    delay = driver().plan.delays[device->ordinal];
  }
  if (fault == kSuccess && !run_grid(call, blocks, threads)) {
    fault = kLaunchFailed;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(delay));
  if (fault != kSuccess) {
    std::lock_guard<std::mutex> lock(driver().mutex);
    device->poisoned = fault;
  }
}

}  // namespace

EXPORT Result cuInit(unsigned) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  if (const Result fault = driver().on_call("cuInit", nullptr)) {
    return fault;
  }
  return driver().plan.devices == 0 ? kNoDevice : kSuccess;
}

EXPORT Result cuDriverGetVersion(int* version) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  driver().renew_plan();
  *version = driver().plan.version;
  return kSuccess;
}

EXPORT Result cuDeviceGetCount(int* count) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  driver().renew_plan();
  *count = driver().plan.devices;
  return kSuccess;
}

EXPORT Result cuDeviceGet(int* device, int ordinal) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  if (ordinal < 0 || ordinal >= driver().plan.devices) {
    return kInvalidDevice;
  }
  *device = ordinal;
  return kSuccess;
}

EXPORT Result cuDeviceGetName(char* name, int length, int device) {
  std::snprintf(name, static_cast<std::size_t>(length), "stand-in %d", device);
  return kSuccess;
}

EXPORT Result cuDeviceGetAttribute(int* value, int attribute, int) {
  if (attribute != kMultiprocessorCount) {
    return kInvalidValue;
  }
  *value = kMultiprocessors;
  return kSuccess;
}

EXPORT Result cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  *bytes = driver().plan.memory;
  return kSuccess;
}

EXPORT Result cuDevicePrimaryCtxRetain(void** context, int device) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  if (const Result fault = driver().on_call("cuDevicePrimaryCtxRetain", &driver().devices[device])) {
    return fault;
  }
  *context = &driver().devices[device];
  return kSuccess;
}

EXPORT Result cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }

EXPORT Result cuCtxPushCurrent_v2(void* context) {
  contexts.push_back(static_cast<Device*>(context));
  return kSuccess;
}

EXPORT Result cuCtxPopCurrent_v2(void** context) {
  if (contexts.empty()) {
    return kInvalidContext;
  }
  *context = contexts.back();
  contexts.pop_back();
  return kSuccess;
}

EXPORT Result cuModuleLoadData(void** module, const void* image) {
  BEGIN("cuModuleLoadData")
  auto loaded = std::make_unique<Module>(Module{static_cast<const char*>(image)});
  if (loaded->text.find(".version") == std::string::npos) {
    return kInvalidPtx;
  }
  for (const Kernel& kernel : kernels()) {
    std::vector<std::size_t> sizes;
    if (!declared_parameters(loaded->text, kernel.name, &sizes) || sizes != kernel.parameters) {
      return kInvalidPtx;
    }
  }
  *module = loaded.get();
  driver().modules[loaded.release()] = current();
  driver().report();
  return kSuccess;
}

EXPORT Result cuModuleUnload(void* module) {
  BEGIN("cuModuleUnload")
  if (!known(driver().modules, module)) {
    return kInvalidHandle;
  }
  driver().modules.erase(module);
  delete static_cast<Module*>(module);
  driver().report();
  return kSuccess;
}

EXPORT Result cuModuleGetFunction(void** function, void* module, const char* name) {
  BEGIN("cuModuleGetFunction")
  if (!known(driver().modules, module)) {
    return kInvalidHandle;
  }
  for (const Kernel& kernel : kernels()) {
    if (kernel.name == name) {
      *function = const_cast<Kernel*>(&kernel);
      return kSuccess;
    }
  }
  return kNotFound;
}

EXPORT Result cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  BEGIN("cuMemAlloc")
  constexpr std::size_t kAlignment = 256;
  if (bytes == 0) {
    return kInvalidValue;
  }
  if (current()->used + bytes > driver().plan.memory) {
    return kOutOfMemory;
  }
  /* Of the very size, so that tools for finding bad accesses can. */
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, bytes) != 0) {
    return kOutOfMemory;
  }
  std::memset(memory, 0xA5, bytes);
  *address = reinterpret_cast<DevicePointer>(memory);
  driver().device_memory[*address] = {bytes, current()};
  current()->used += bytes;
  driver().report();
  return kSuccess;
}

EXPORT Result cuMemFree_v2(DevicePointer address) {
  BEGIN("cuMemFree")
  const auto found = driver().device_memory.find(address);
  if (found == driver().device_memory.end() || found->second.device != current()) {
    return kInvalidValue;
  }
  current()->used -= found->second.bytes;
  std::free(reinterpret_cast<void*>(address));
  driver().device_memory.erase(found);
  driver().report();
  return kSuccess;
}

EXPORT Result cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  BEGIN("cuMemHostAlloc")
  constexpr std::size_t kPage = 4096;
  if (posix_memalign(address, kPage, bytes) != 0) {
    return kOutOfMemory;
  }
  driver().pinned[reinterpret_cast<std::uintptr_t>(*address)] = {bytes, current()};
  driver().report();
  return kSuccess;
}

EXPORT Result cuMemFreeHost(void* address) {
  BEGIN("cuMemFreeHost")
  if (driver().pinned.erase(reinterpret_cast<std::uintptr_t>(address)) == 0) {
    return kInvalidValue;
  }
  std::free(address);
  driver().report();
  return kSuccess;
}

EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes,
                                   void* handle) {
  BEGIN("cuMemcpyHtoDAsync")
  Stream* stream = stream_of_context(handle);
  if (stream == nullptr) {
    return kInvalidHandle;
  }
  if (!driver().owns(to, bytes, current())) {
    return kInvalidValue;
  }
  auto* target = reinterpret_cast<void*>(to);
  if (driver().is_pinned(from, bytes)) {
    stream->put([=] { std::memcpy(target, from, bytes); });
  } else {
    /* The driver takes pageable memory into a buffer of its own before it returns. */
    auto copy = std::make_shared<std::string>(static_cast<const char*>(from), bytes);
    stream->put([=] { std::memcpy(target, copy->data(), bytes); });
  }
  return kSuccess;
}

EXPORT Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, void* handle) {
  BEGIN("cuMemcpyDtoHAsync")
  Stream* stream = stream_of_context(handle);
  if (stream == nullptr) {
    return kInvalidHandle;
  }
  if (!driver().owns(from, bytes, current())) {
    return kInvalidValue;
  }
  stream->put([=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
  return kSuccess;
}

EXPORT Result cuMemsetD32Async(DevicePointer address, unsigned value, std::size_t count,
                               void* handle) {
  BEGIN("cuMemsetD32Async")
  Stream* stream = stream_of_context(handle);
  if (stream == nullptr) {
    return kInvalidHandle;
  }
  if (!driver().owns(address, count * sizeof value, current())) {
    return kInvalidValue;
  }
  stream->put([=] {
    auto* words = reinterpret_cast<unsigned*>(address);
    std::fill(words, words + count, value);
  });
  return kSuccess;
}

EXPORT Result cuStreamCreate(void** stream, unsigned) {
  BEGIN("cuStreamCreate")
  auto* created = new Stream(current());
  driver().streams[created] = current();
  *stream = created;
  driver().report();
  return kSuccess;
}

EXPORT Result cuStreamSynchronize(void* handle) {
  BEGIN("cuStreamSynchronize")
  Stream* stream = stream_of_context(handle);
  if (stream == nullptr) {
    return kInvalidHandle;
  }
  lock.unlock();
  stream->drain();
  lock.lock();
  return current()->poisoned;
}

EXPORT Result cuStreamDestroy_v2(void* handle) {
  BEGIN("cuStreamDestroy")
  Stream* stream = stream_of_context(handle);
  if (stream == nullptr) {
    return kInvalidHandle;
  }
  driver().streams.erase(stream);
  driver().report();
  lock.unlock();
  delete stream;
  return kSuccess;
}

EXPORT Result cuEventCreate(void** event, unsigned) {
  BEGIN("cuEventCreate")
  auto* created = new Event;
  driver().events[created] = current();
  *event = created;
  driver().report();
  return kSuccess;
}

EXPORT Result cuEventRecord(void* handle, void* stream_handle) {
  BEGIN("cuEventRecord")
  Stream* stream = stream_of_context(stream_handle);
  if (stream == nullptr || !known(driver().events, handle)) {
    return kInvalidHandle;
  }
  auto* event = static_cast<Event*>(handle);
  const long number = ++event->recorded;
  stream->put([=] {
    std::lock_guard<std::mutex> inner(driver().mutex);
    event->reached = std::max(event->reached, number);
    event->time = Clock::now();
    driver().event_passed.notify_all();
  });
  return kSuccess;
}

EXPORT Result cuEventSynchronize(void* handle) {
  BEGIN("cuEventSynchronize")
  if (!known(driver().events, handle)) {
    return kInvalidHandle;
  }
  auto* event = static_cast<Event*>(handle);
  driver().event_passed.wait(lock, [=] { return event->passed(); });
  return current()->poisoned;
}

EXPORT Result cuEventElapsedTime(float* millis, void* from, void* to) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  if (!known(driver().events, from) || !known(driver().events, to)) {
    return kInvalidHandle;
  }
  const auto* start = static_cast<Event*>(from);
  const auto* end = static_cast<Event*>(to);
  if (!start->passed() || !end->passed()) {
    return kNotReady;
  }
  *millis = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return kSuccess;
}

EXPORT Result cuEventDestroy_v2(void* handle) {
  BEGIN("cuEventDestroy")
  if (!known(driver().events, handle)) {
    return kInvalidHandle;
  }
  auto* event = static_cast<Event*>(handle);
  driver().event_passed.wait(lock, [=] { return event->passed(); });
  driver().events.erase(event);
  delete event;
  driver().report();
  return kSuccess;
}

EXPORT Result cuLaunchKernel(void* function, unsigned blocks, unsigned blocks_y, unsigned blocks_z,
                             unsigned threads, unsigned threads_y, unsigned threads_z, unsigned,
                             void* handle, void** arguments, void**) {
  BEGIN("cuLaunchKernel")
  constexpr unsigned kMostThreads = 1024;
  Stream* stream = stream_of_context(handle);
  if (stream == nullptr) {
    return kInvalidHandle;
  }
  if (blocks == 0 || threads == 0 || threads > kMostThreads || blocks_y != 1 || blocks_z != 1 ||
      threads_y != 1 || threads_z != 1) {
    return kInvalidValue;
  }
  std::function<void()> call = static_cast<Kernel*>(function)->bind(arguments);
  stream->put([device = stream->device(), call = std::move(call), blocks, threads] {
    run_kernel(device, call, blocks, threads);
  });
  return kSuccess;
}
