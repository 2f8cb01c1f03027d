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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Optional;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;
import org.freshet.shredder.BackendUnavailableException;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What {@link NeedsNative} asks for, in both test engines. */
final class NativeCondition implements ExecutionCondition, SkipExecutionHook {
  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return reasonToSkip(context.getRequiredTestClass())
        .map(ConditionEvaluationResult::disabled)
        .orElseGet(() -> ConditionEvaluationResult.enabled(null));
  }

  @Override
  public SkipResult shouldBeSkipped(LifecycleContext context) {
    return context
        .optionalContainerClass()
        .flatMap(NativeCondition::reasonToSkip)
        .map(SkipResult::skip)
        .orElseGet(SkipResult::doNotSkip);
  }

  private static Optional<String> reasonToSkip(Class<?> test) {
    NeedsNative needs = test.getAnnotation(NeedsNative.class);
    try {
      NativeLibrary.load();
    } catch (BackendUnavailableException e) {
      // Any other reason is a failure of what is tested.
      assertThat(e).hasMessageStartingWith("the jar has no META-INF/native/");
      return Optional.of(e.getMessage());
    }
    if (needs.value().compareTo(InstructionLevel.best()) > 0) {
      return Optional.of("this processor has no " + needs.value().description());
    }
    return Arrays.stream(needs.digests())
        .filter(form -> !form.isAvailable())
        .map(form -> "this processor has no instructions for digests in " + form)
        .findFirst();
  }
}
