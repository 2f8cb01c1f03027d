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
 * The CUDA driver as chunking needs it: devices, their memory, page-locked memory, streams and
 * kernels, with failures as a checked exception. Knows nothing of chunking.
 *
 * <p>{@link org.freshet.shredder.cuda.driver.CudaDriver#load} is the way in. It finds the driver
 * through JCuda, which is optional, and nothing but {@code org.freshet.shredder.cuda.driver.jcuda}
 * knows it.
 */
package org.freshet.shredder.cuda.driver;
