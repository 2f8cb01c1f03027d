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

#ifndef FIBER_GRID_H
#define FIBER_GRID_H

#include <functional>

/*
 * Runs kernel once for each thread of a grid, block by block.
 *
 * Returns false if some threads of a block waited at a barrier that others never came to.
 */
bool run_grid(const std::function<void()>& kernel, unsigned blocks, unsigned threads);

#endif  // FIBER_GRID_H
