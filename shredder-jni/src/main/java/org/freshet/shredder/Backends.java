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
package org.freshet.shredder;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * The backends of this JVM. Each is looked for once; what was found stays. Safe for use by several
 * threads.
 *
 * <p>The system property {@value #PROPERTY} overrides the choice: {@code java}, {@code native},
 * {@code cuda}, or {@code auto}, the default.
 */
public final class Backends {
  /** The system property that names the backend to prefer. */
  public static final String PROPERTY = "shredder.backend";

  /** Leaves the choice to the library. */
  public static final String AUTO = "auto";

  private static final System.Logger LOG = System.getLogger(Backends.class.getName());
  private static final Backends OF_THIS_JVM = new Backends(load());

  /** In order of preference. */
  private final List<Known> known;

  private final Map<String, Backend> preferredBy = new HashMap<>();

  Backends(List<BackendProvider> providers) {
    known =
        providers.stream()
            .sorted(Comparator.comparingInt(BackendProvider::priority).reversed())
            .map(Known::new)
            .toList();
  }

  /**
   * The backend to use unless something is known that the library does not know: the first in the
   * order cuda, native, java that is to be had and pays. Logs, at the first call, which it is and
   * why it is none of those before it.
   *
   * @throws IllegalArgumentException if the system property names none
   * @throws IllegalStateException if the system property names one that cannot be had
   */
  public static Backend preferred() {
    return OF_THIS_JVM.prefer(System.getProperty(PROPERTY, AUTO));
  }

  /**
   * The backend of the given name, or with {@value #AUTO} the one that {@link #preferred()} takes
   * if the system property is not set.
   *
   * @throws IllegalArgumentException if there is none of that name
   * @throws IllegalStateException if it cannot be had here; says why
   */
  public static Backend named(String name) {
    return name.equals(AUTO) ? OF_THIS_JVM.prefer(AUTO) : OF_THIS_JVM.byName(name);
  }

  /** Every backend by name, in order of preference: its description, or why it cannot be had. */
  public static Map<String, String> probe() {
    return OF_THIS_JVM.describeAll();
  }

  synchronized Backend prefer(String wish) {
    Backend earlier = preferredBy.get(wish);
    if (earlier != null) {
      return earlier;
    }
    StringBuilder passedOver = new StringBuilder();
    Backend backend = wish.equals(AUTO) ? firstWorthwhile(passedOver) : byName(wish);
    LOG.log(Level.INFO, "Chunking with {0}{1}", backend.description(), passedOver);
    preferredBy.put(wish, backend);
    return backend;
  }

  private Backend firstWorthwhile(StringBuilder passedOver) {
    for (Known candidate : known) {
      Outcome outcome = candidate.openIfWorthwhile();
      if (outcome.backend() != null) {
        return outcome.backend();
      }
      passedOver.append("; not ").append(candidate.name()).append(": ").append(outcome.refusal());
    }
    throw new IllegalStateException("There is no backend, not even Java's" + passedOver);
  }

  synchronized Backend byName(String name) {
    for (Known candidate : known) {
      if (candidate.name().equals(name)) {
        Outcome outcome = candidate.open();
        if (outcome.backend() == null) {
          throw new IllegalStateException(
              "Backend " + name + " cannot be had here: " + outcome.refusal());
        }
        return outcome.backend();
      }
    }
    throw new IllegalArgumentException(
        "The backend must be one of "
            + known.stream().map(Known::name).toList()
            + " or "
            + AUTO
            + ", not "
            + name);
  }

  synchronized Map<String, String> describeAll() {
    Map<String, String> descriptions = new LinkedHashMap<>();
    for (Known candidate : known) {
      Outcome outcome = candidate.open();
      descriptions.put(
          candidate.name(),
          outcome.backend() == null ? outcome.refusal() : outcome.backend().description());
    }
    return descriptions;
  }

  private static List<BackendProvider> load() {
    List<BackendProvider> providers = new ArrayList<>();
    providers.add(new JavaBackendProvider());
    Iterator<BackendProvider> registered =
        ServiceLoader.load(BackendProvider.class, Backends.class.getClassLoader()).iterator();
    while (true) {
      try {
        if (!registered.hasNext()) {
          return providers;
        }
        providers.add(registered.next());
      } catch (ServiceConfigurationError e) {
        LOG.log(Level.WARNING, "A chunking backend is registered but cannot be loaded", e);
      }
    }
  }

  /** A backend, or the reason why there is none; the other is null. */
  private record Outcome(Backend backend, String refusal) {}

  private interface Opening {
    Backend run() throws BackendUnavailableException;
  }

  /** A provider and what came of asking it, in either way. */
  private static final class Known {
    private final BackendProvider provider;
    private Outcome asked;
    private Outcome left;

    Known(BackendProvider provider) {
      this.provider = provider;
    }

    String name() {
      return provider.name();
    }

    Outcome open() {
      if (asked == null) {
        asked = left != null && left.backend() != null ? left : attempt(provider::open);
      }
      return asked;
    }

    Outcome openIfWorthwhile() {
      if (left == null) {
        left = attempt(provider::openIfWorthwhile);
      }
      return left;
    }

    private Outcome attempt(Opening opening) {
      try {
        return new Outcome(opening.run(), null);
      } catch (BackendUnavailableException e) {
        return new Outcome(null, e.getMessage());
      } catch (LinkageError | OutOfMemoryError | RuntimeException e) {
        // Whatever is wrong with optional hardware and its drivers, chunking goes on without it.
        LOG.log(Level.DEBUG, "Backend " + name() + " failed to open", e);
        return new Outcome(null, e.toString());
      }
    }
  }
}
