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
/**
 * The CUDA driver through JCuda's driver API; nothing else of Freshet knows JCuda. Loaded by a
 * class loader of its own, so nothing outside may refer to these classes: they are known by the
 * interfaces of {@link org.freshet.shredder.cuda.driver} that they implement.
 *
 * <p>JCuda either returns a result or throws, by a switch that all its users in a JVM share; {@link
 * org.freshet.shredder.cuda.driver.jcuda.Calls} copes with both, though here nobody else can reach
 * it.
 */
package org.freshet.shredder.cuda.driver.jcuda;
