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

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.freshet.shredder.Backend;
import org.freshet.shredder.BackendProvider;
import org.freshet.shredder.BackendUnavailableException;
import org.freshet.shredder.Backends;
import org.freshet.shredder.cuda.driver.CudaCallException;
import org.freshet.shredder.cuda.driver.CudaDevice;
import org.freshet.shredder.cuda.driver.CudaDriver;

/**
 * Provides the GPUs of this machine to {@link Backends}, if {@code org.jcuda:jcuda} and its natives
 * are on the class path, and a driver for CUDA 12.0 or later and a device are there.
 *
 * <p>System properties: {@code shredder.cuda.buffer.bytes} (262144 to 268435456) is the size of a
 * buffer, {@code shredder.cuda.depth} (1 to 16) how many are in the pipeline.
 */
public final class CudaBackendProvider implements BackendProvider {
  /** The kernels are compiled to PTX 8.0. */
  private static final int LEAST_DRIVER_VERSION = 12000;

  private static final String KERNELS = "shredder.ptx";

  /** Before that of native code, which has 100, and of Java, which has 0. */
  private static final int PRIORITY = 200;

  /** What a device fails to do, and digests, are for the better of these that is there. */
  private static final List<String> ON_PROCESSOR = List.of("native", "java");

  /** Needed by {@link java.util.ServiceLoader}. */
  public CudaBackendProvider() {}

  @Override
  public String name() {
    return CudaBackend.NAME;
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public Backend open() throws BackendUnavailableException {
    CudaSettings settings;
    try {
      settings = CudaSettings.fromProperties();
    } catch (IllegalArgumentException e) {
      throw new BackendUnavailableException(e.getMessage(), e);
    }
    return open(settings);
  }

  /** With settings of one's own. */
  static CudaBackend open(CudaSettings settings) throws BackendUnavailableException {
    CudaDriver driver = CudaDriver.load();
    try {
      int version = driver.version();
      if (version < LEAST_DRIVER_VERSION) {
        throw new BackendUnavailableException(
            "the driver is for CUDA %d.%d; 12.0 is needed"
                .formatted(version / 1000, version % 1000 / 10));
      }
      return new CudaBackend(openDevices(driver), settings, onProcessor(), version);
    } catch (CudaCallException e) {
      throw new BackendUnavailableException(e.getMessage(), e);
    }
  }

  /** Those devices that can be opened; one that cannot only matters if there is no other. */
  static List<CudaDevice> openDevices(CudaDriver driver)
      throws CudaCallException, BackendUnavailableException {
    byte[] ptx = kernels();
    List<CudaDevice> devices = new ArrayList<>();
    CudaCallException failure = null;
    int count = driver.deviceCount();
    for (int ordinal = 0; ordinal < count; ordinal++) {
      try {
        devices.add(driver.open(ordinal, ptx));
      } catch (CudaCallException e) {
        failure = e;
      }
    }
    if (!devices.isEmpty()) {
      return devices;
    }
    if (failure != null) {
      throw failure;
    }
    throw new BackendUnavailableException("no device");
  }

  private static byte[] kernels() throws BackendUnavailableException {
    try (InputStream in = CudaBackendProvider.class.getResourceAsStream(KERNELS)) {
      if (in == null) {
        throw new BackendUnavailableException("no " + KERNELS + " on the class path");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new BackendUnavailableException(KERNELS + " cannot be read: " + e, e);
    }
  }

  private static Backend onProcessor() {
    for (String name : ON_PROCESSOR) {
      try {
        return Backends.named(name);
      } catch (IllegalStateException | IllegalArgumentException e) {
        // Not here; the next one may be.
      }
    }
    throw new IllegalStateException("None of the backends " + ON_PROCESSOR + " is there");
  }

  @Override
  public Backend openIfWorthwhile() throws BackendUnavailableException {
    CudaBackend backend = (CudaBackend) open();
    try {
      WorthwhileCheck.check(backend);
      return backend;
    } catch (BackendUnavailableException | RuntimeException | Error e) {
      backend.close();
      throw e;
    }
  }
}
