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
package org.freshet.hdfs.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** What a pipe passes on. */
final class CollectingTarget implements ChunkingPipe.Target {
  final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  final List<Long> cuts = new ArrayList<>();
  private final long start;

  CollectingTarget(long start) {
    this.start = start;
  }

  @Override
  public void write(byte[] written, int from, int length) {
    bytes.write(written, from, length);
  }

  @Override
  public void chunkEnds(long cut, byte[] written, int to) {
    assertThat(cut).isEqualTo(start + bytes.size());
    cuts.add(cut);
  }
}
