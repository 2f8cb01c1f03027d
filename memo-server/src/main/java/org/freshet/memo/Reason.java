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
package org.freshet.memo;

/**
 * What a failure says, in one line: HDFS puts the NameNode's whole stack trace into its messages.
 */
final class Reason {
  private Reason() {}

  static String of(Throwable failure) {
    String message = failure.getMessage();
    String kind = failure.getClass().getSimpleName();
    if (message == null || message.isBlank()) {
      return kind;
    }
    return kind + ": " + message.lines().findFirst().orElse("").strip();
  }
}
