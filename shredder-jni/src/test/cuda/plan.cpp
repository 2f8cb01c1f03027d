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

#include "plan.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

Plan Plan::parse(const std::string& text) {
  Plan plan;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "devices") {
      words >> plan.devices;
    } else if (verb == "memory") {
      words >> plan.memory;
    } else if (verb == "version") {
      words >> plan.version;
    } else if (verb == "delay") {
      int device = 0;
      words >> device >> plan.delays[device];
    } else if (verb == "fail" || verb == "poison") {
      Fault fault{"", 0, 1, 1, verb == "poison"};
      words >> fault.call >> fault.result >> fault.first;
      if (!fault.lasts) {
        words >> fault.count;
      }
      plan.faults_.push_back(fault);
    }
  }
  return plan;
}

int Plan::on_call(const std::string& call, bool* lasts) {
  const long number = ++calls_[call];
  for (const Fault& fault : faults_) {
    if (fault.call == call && number >= fault.first && number < fault.first + fault.count) {
      *lasts = fault.lasts;
      return fault.result;
    }
  }
  *lasts = false;
  return 0;
}

std::string read_plan() {
  const char* path = std::getenv("SHREDDER_CUDA_STANDIN");
  if (path == nullptr) {
    return "";
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
