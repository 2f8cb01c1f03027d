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
package org.freshet.slider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class DigestTest {
  /** FIPS 180-4 example: SHA-256 of "abc". */
  private static final String ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @Test
  void hashesTheStandardsExample() {
    Digest abc = Digest.sha256("abc".getBytes(StandardCharsets.US_ASCII));

    assertThat(abc.hex()).isEqualTo(ABC);
    assertThat(abc.shortHex()).isEqualTo("ba7816bf8f01");
    assertThat(abc.longAt(0)).isEqualTo(0xba7816bf8f01cfeaL);
    assertThat(abc.longAt(3)).isEqualTo(0xb410ff61f20015adL);
    assertThat(Digest.fromHex(ABC)).isEqualTo(abc).hasSameHashCodeAs(abc);
  }

  @Test
  void feedsItsBytesToAnotherDigest() {
    Digest abc = Digest.fromHex(ABC);
    MessageDigest md = Digest.newSha256();
    abc.update(md);

    assertThat(Digest.finish(md)).isEqualTo(Digest.sha256(abc.toByteArray()));
  }

  @Property(tries = 200)
  void keepsItsBytesThroughEveryForm(@ForAll @Size(32) byte[] bytes) throws IOException {
    Digest digest = Digest.of(bytes);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    digest.write(new DataOutputStream(out));

    assertThat(digest.toByteArray()).isEqualTo(bytes);
    assertThat(out.toByteArray()).isEqualTo(bytes);
    assertThat(Digest.read(new DataInputStream(new ByteArrayInputStream(bytes)))).isEqualTo(digest);
    assertThat(Digest.fromHex(digest.hex())).isEqualTo(digest);
  }

  @Property(tries = 200)
  void ordersLikeTheUnsignedNumber(@ForAll @Size(32) byte[] a, @ForAll @Size(32) byte[] b) {
    int expected = new BigInteger(1, a).compareTo(new BigInteger(1, b));

    assertThat(Integer.signum(Digest.of(a).compareTo(Digest.of(b)))).isEqualTo(expected);
  }

  @Test
  void refusesWhatIsNoDigest() {
    assertThatThrownBy(() -> Digest.of(new byte[31]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("31");
    assertThatThrownBy(() -> Digest.fromHex("abc"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("abc");
    assertThatThrownBy(() -> Digest.fromHex("g".repeat(64)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Digest.fromHex(ABC).longAt(4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(
            () -> Digest.read(new DataInputStream(new ByteArrayInputStream(new byte[31]))))
        .isInstanceOf(EOFException.class);
  }
}
