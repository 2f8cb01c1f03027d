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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.freshet.shredder.Backend;
import org.freshet.shredder.BackendContract;
import org.freshet.shredder.BackendUnavailableException;
import org.junit.jupiter.api.AfterAll;

/**
 * The contract on the GPUs of this machine rather than on the stand-in. It runs where it is asked
 * for by name, on a machine that has one:
 *
 * <pre>
 * mvn test -pl shredder-jni -P '!cuda' -Dtest=GpuContract
 * </pre>
 *
 * The system property {@code shredder.test.gpu} names the way to load, {@code tiled} if it is not
 * set, or {@code direct}.
 */
class GpuContract extends BackendContract {
  private static final String LOADS = System.getProperty("shredder.test.gpu", "tiled");
  private static CudaBackend backend;

  /** Else it would be the processor that keeps the contract. */
  @AfterAll
  static void devicesHaveSearched() {
    assertThat(backend.search().devices())
        .allSatisfy(
            device -> {
              assertThat(device.isRetired()).isFalse();
              assertThat(device.searched()).isGreaterThan(1000);
            });
  }

  @Override
  protected Backend backend() {
    synchronized (GpuContract.class) {
      if (backend == null) {
        SearchKernel.Loads loads = SearchKernel.Loads.valueOf(LOADS.toUpperCase(Locale.ROOT));
        try {
          backend = CudaBackendProvider.open(new CudaSettings(100_000, 3, 1, loads));
        } catch (BackendUnavailableException e) {
          throw new IllegalStateException(e);
        }
      }
      return backend;
    }
  }
}
