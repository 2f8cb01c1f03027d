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
package org.freshet.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the one {@link MiniHadoop} of this JVM: started by the first, stopped after the last,
 * and replaced if a test has taken a part of it away.
 *
 * <p>It belongs to the launcher's session, for where JVMs share the classes Surefire executes each
 * by itself: what belongs to an execution would be started again for every class.
 */
public final class MiniHadoopExtension implements ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(MiniHadoopExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == MiniHadoop.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    ExtensionContext.Store store =
        test.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE);
    MiniHadoop hadoop = cluster(store);
    if (hadoop.isWhole()) {
      return hadoop;
    }
    store.remove(MiniHadoop.class);
    hadoop.close();
    return cluster(store);
  }

  private static MiniHadoop cluster(ExtensionContext.Store store) {
    return store.getOrComputeIfAbsent(MiniHadoop.class, key -> start(), MiniHadoop.class);
  }

  private static MiniHadoop start() {
    try {
      return MiniHadoop.start();
    } catch (IOException e) {
      throw new UncheckedIOException("the mini cluster did not start", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the mini cluster started", e);
    }
  }
}
