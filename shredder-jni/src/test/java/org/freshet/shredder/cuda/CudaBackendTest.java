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
package org.freshet.shredder.cuda;

import net.jqwik.api.lifecycle.AddLifecycleHook;
import org.freshet.shredder.Backend;
import org.freshet.shredder.BackendContract;
import org.freshet.shredder.BackendUnavailableException;
import org.junit.jupiter.api.condition.EnabledIf;

/** Two devices, and buffers that most content does not fit into. */
@EnabledIf("org.freshet.shredder.cuda.StandIn#isThere")
@AddLifecycleHook(StandIn.Condition.class)
class CudaBackendTest extends BackendContract {
  private static CudaBackend backend;

  @Override
  protected Backend backend() {
    synchronized (CudaBackendTest.class) {
      if (backend == null) {
        try {
          backend =
              StandIn.backend(
                  new CudaSettings(100_000, 3, 1, SearchKernel.Loads.TILED), "devices 2");
        } catch (BackendUnavailableException e) {
          throw new IllegalStateException(e);
        }
      }
      return backend;
    }
  }
}
