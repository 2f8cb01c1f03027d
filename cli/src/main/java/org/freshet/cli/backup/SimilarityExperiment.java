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
package org.freshet.cli.backup;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.freshet.cli.backup.store.BackupStore;
import org.freshet.cli.backup.store.Image;
import org.freshet.shredder.Chunker;

/**
 * Backs up a master image and then images that resemble it less and less, and measures the backup
 * bandwidth and what was sent: figure 3.17 of Shredder's evaluation.
 *
 * <p>As published, images come from memory, a minimum and a maximum chunk size are set, and images
 * are made by replacing segments of the master. Agent and server talk through the loopback
 * interface. Every image is restored and compared.
 */
public final class SimilarityExperiment {
  private static final long SEED = 20_261_123;

  private final int imageBytes;
  private final int segmentBytes;
  private final List<Double> shares;

  /**
   * @param imageBytes length of each image
   * @param segmentBytes length of the segments that are replaced
   * @param shares the probabilities with which a segment is replaced, 0 to 1
   */
  public SimilarityExperiment(int imageBytes, int segmentBytes, List<Double> shares) {
    for (double share : shares) {
      if (!(share >= 0 && share <= 1)) {
        throw new IllegalArgumentException("share " + share + ", expected 0 to 1");
      }
    }
    this.imageBytes = imageBytes;
    this.segmentBytes = segmentBytes;
    this.shares = List.copyOf(shares);
  }

  /**
   * The backup of one image.
   *
   * @param share the probability with which each segment was replaced; 1 for the master, of which
   *     the server knew nothing
   * @param replacedBytes length of all segments that were
   * @param put what the backup took
   */
  public record Step(double share, long replacedBytes, PutResult put) {}

  /**
   * Runs it against a server of its own.
   *
   * @param directory an empty one for the server's store
   * @param threads of the agent
   * @param progress told one line per image
   * @return the master first, then the shares in order
   * @throws IOException if a backup fails, or a restored image is not the one that was put
   */
  public List<Step> run(Path directory, Chunker chunker, int threads, Consumer<String> progress)
      throws IOException {
    SimilarImages images = new SimilarImages(imageBytes, segmentBytes, SEED);
    List<Step> steps = new ArrayList<>();
    try (BackupStore store = BackupStore.open(directory);
        BackupServer server = BackupServer.start(store, 0, line -> {});
        BackupAgent agent = BackupAgent.connect(server.port())) {
      progress.accept("master image: first backup");
      steps.add(new Step(1, imageBytes, put(agent, images.master(), chunker, threads)));
      for (double share : shares) {
        SimilarImages.Replaced replaced = images.replace(share);
        progress.accept(
            Math.round(100 * share) + " % of the segments replaced: backup of an image");
        steps.add(
            new Step(
                share, replaced.replacedBytes(), put(agent, replaced.image(), chunker, threads)));
      }
    }
    return steps;
  }

  private static PutResult put(BackupAgent agent, MemoryImage image, Chunker chunker, int threads)
      throws IOException {
    PutResult result = agent.put("image", image, chunker, threads);
    Comparing restored = new Comparing(image.bytes());
    Image stored = agent.restore("image", result.image().sequence(), restored);
    if (stored.bytes() != image.length() || restored.position != image.length()) {
      throw new IOException("restored " + restored.position + " bytes, expected " + image.length());
    }
    return result;
  }

  /** Takes what must be the same as an array. */
  private static final class Comparing extends OutputStream {
    private final byte[] expected;
    private int position;

    Comparing(byte[] expected) {
      this.expected = expected;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (length > expected.length - position
          || !Arrays.equals(
              bytes, offset, offset + length, expected, position, position + length)) {
        throw new IOException("the restored image differs at or after " + position);
      }
      position += length;
    }
  }
}
