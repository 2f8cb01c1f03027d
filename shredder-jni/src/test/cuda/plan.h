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
 * What the stand-in pretends to be, and which of its calls fail: read from the file named by the
 * environment variable SHREDDER_CUDA_STANDIN, again whenever its text changes. Lines:
 *
 *   devices N                    how many devices there are; none if not said
 *   memory BYTES                 memory of each device; 1 GiB if not said
 *   version V                    of the driver, as of cuDriverGetVersion; 12000 if not said
 *   delay DEVICE MILLIS          each kernel on the device takes so much longer
 *   fail CALL RESULT FIRST N     the FIRST-th to (FIRST + N - 1)-th CALL give RESULT
 *   poison CALL RESULT FIRST     so does the FIRST-th, and all later calls on its device
 *
 * CALL is the name of a function, without _v2, or "kernel" for an error that occurs while a kernel
 * runs, which later calls report.
 */
#ifndef STANDIN_PLAN_H
#define STANDIN_PLAN_H

#include <map>
#include <string>
#include <vector>

class Plan {
 public:
  int devices = 0;
  unsigned long long memory = 1ULL << 30;
  int version = 12000;
  std::map<int, int> delays;

  static Plan parse(const std::string& text);

  /* Counts a call; gives its result, and whether that is to last. */
  int on_call(const std::string& call, bool* lasts);

 private:
  struct Fault {
    std::string call;
    int result;
    long first;
    long count;
    bool lasts;
  };

  std::vector<Fault> faults_;
  std::map<std::string, long> calls_;
};

/* The text of the file, or nothing. */
std::string read_plan();

#endif  // STANDIN_PLAN_H
