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

/** The form is chosen by the chunks, as on processors with which four streams are not used. */
@NeedsNative(digests = {DigestForm.STREAMS, DigestForm.LANES})
class ChosenWithoutFourStreamsDigestsTest extends DigestContract {
  ChosenWithoutFourStreamsDigestsTest() {
    super(DigestForm.STREAMS, DigestForm.LANES, DigestForm.MORE_LANES);
  }
}
