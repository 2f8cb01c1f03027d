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
package org.freshet.cli.bench.chunking;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.freshet.shredder.Backends;
import org.freshet.shredder.ChunkDigester;
import org.freshet.shredder.DigestAlgorithm;
import org.freshet.shredder.RunningDigest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What the machine does with bytes at best, and what digesting alone costs. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class MemorySpeed {
  private static final long SEED = 65;

  /** {@code copy}, {@code sha256} or {@code blake3}, both as Java computes them. */
  @Param("copy")
  public String work;

  private final byte[] bytes = new byte[SearchSpeed.BYTES];
  private final byte[] target = new byte[SearchSpeed.BYTES];

  /** Fills the bytes. */
  @Setup
  public void setUp() {
    new SplittableRandom(SEED).nextBytes(bytes);
  }

  /** Goes through all of them. */
  @Benchmark
  public byte[] work() throws NoSuchAlgorithmException {
    if (work.equals("copy")) {
      System.arraycopy(bytes, 0, target, 0, bytes.length);
      return target;
    }
    if (work.equals("sha256")) {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    }
    RunningDigest blake3 = Backends.named("java").digester(DigestAlgorithm.BLAKE3).start();
    blake3.update(new ChunkDigester.Piece(ByteBuffer.wrap(bytes), 0, bytes.length));
    return blake3.end();
  }
}
