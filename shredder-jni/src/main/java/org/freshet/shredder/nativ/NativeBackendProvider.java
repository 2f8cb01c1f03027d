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
package org.freshet.shredder.nativ;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.freshet.shredder.Backend;
import org.freshet.shredder.BackendProvider;
import org.freshet.shredder.BackendUnavailableException;

/**
 * Opens the backend in native code, if the jar has the library for this platform.
 *
 * <p>System properties:
 *
 * <ul>
 *   <li>{@code shredder.native.level}, or else the environment variable {@code
 *       SHREDDER_NATIVE_LEVEL}: {@code scalar}, {@code avx2} or {@code avx512} uses no instructions
 *       beyond these. The default is the best that the processor has.
 *   <li>{@code shredder.native.directory}: where the library is put for loading, instead of {@code
 *       java.io.tmpdir}; for systems that execute nothing in the latter.
 * </ul>
 */
public final class NativeBackendProvider implements BackendProvider {
  /** After CUDA's, which is 200, and before Java's, which is 0. */
  private static final int PRIORITY = 100;

  /** For the service loader. */
  public NativeBackendProvider() {}

  @Override
  public String name() {
    return NativeBackend.NAME;
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  /**
   * What {@code shredder.native.level} can be here, the fewest instructions first.
   *
   * @throws BackendUnavailableException if the library cannot be loaded
   */
  public static List<String> levels() throws BackendUnavailableException {
    NativeLibrary.load();
    return Stream.of(InstructionLevel.values())
        .filter(level -> level.compareTo(InstructionLevel.best()) <= 0)
        .map(level -> level.name().toLowerCase(Locale.ROOT))
        .toList();
  }

  @Override
  public Backend open() throws BackendUnavailableException {
    NativeLibrary.load();
    return new NativeBackend(InstructionLevel.wanted().orElse(InstructionLevel.best()));
  }
}
