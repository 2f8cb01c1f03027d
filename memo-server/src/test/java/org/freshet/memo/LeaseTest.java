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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class LeaseTest {

  private static Lease random(Random random) {
    Set<String> used = new TreeSet<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      used.add("run-" + random.nextInt(100));
    }
    return new Lease(
        "job", used, Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)));
  }

  private static byte[] write(Lease lease) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    lease.write(out);
    return out.toByteArray();
  }

  private static Lease read(byte[] bytes) throws IOException {
    return Lease.read("job", new ByteArrayInputStream(bytes));
  }

  @Property(tries = 200)
  void aLeaseReadsBackAsItWasWritten(@ForAll long seed) throws IOException {
    Lease lease = random(new Random(seed));
    assertThat(read(write(lease))).isEqualTo(lease);
  }

  @Property(tries = 300)
  void damageAndTruncationAreFound(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    byte[] bytes = write(random(random));
    int length = random.nextInt(bytes.length);
    assertThatExceptionOfType(CorruptStoreException.class)
        .isThrownBy(() -> read(Arrays.copyOf(bytes, length)));
    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    assertThatExceptionOfType(CorruptStoreException.class).isThrownBy(() -> read(bytes));
  }
}
