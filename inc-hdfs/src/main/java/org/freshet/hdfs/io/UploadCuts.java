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

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.freshet.hdfs.format.FrameScan;
import org.freshet.hdfs.format.FramedFormat;
import org.freshet.hdfs.format.RecordFormats;
import org.freshet.shredder.ByteSource;
import org.freshet.shredder.Chunker;

/**
 * Where the chunks of a local file end. An immutable value.
 *
 * @param ends ascending
 * @param fingerprint names what cut the file; empty if no index is to be kept of it
 * @param container what kind of container file it was cut as; empty for all else
 */
record UploadCuts(List<Long> ends, Optional<String> fingerprint, Optional<Container> container) {
  /**
   * A file whose chunks are digested with its random markers masked.
   *
   * @param header all bytes of it; not to be changed
   */
  record Container(FramedFormat format, byte[] header) {}

  /**
   * Reads a file. The lengths in a container file lead from its first byte to its last, so it is
   * read by one thread.
   *
   * @param executor helps with all other files if {@code parallelism} is not 1
   */
  static UploadCuts of(
      ByteSource source, WriteSettings settings, ExecutorService executor, int parallelism)
      throws IOException {
    Optional<FramedFormat> format = recognize(source);
    if (format.isPresent()) {
      Optional<FramedFormat.Boundaries> found = format.get().boundaries(source, settings.chunker());
      if (found.isPresent()) {
        return new UploadCuts(
            found.get().cuts(),
            Optional.of(settings.fingerprint(format)),
            Optional.of(new Container(format.get(), found.get().header())));
      }
    }
    List<Long> ends = new ArrayList<>();
    new Chunker(settings.chunker()).boundaries(source, executor, parallelism, ends::add);
    // What only begins as a container file is sent as well as any other file, without an index.
    Optional<String> fingerprint =
        format.isPresent() ? Optional.empty() : Optional.of(settings.fingerprint(format));
    return new UploadCuts(ends, fingerprint, Optional.empty());
  }

  private static Optional<FramedFormat> recognize(ByteSource source) throws IOException {
    try (InputStream in = source.open(0)) {
      return RecordFormats.recognize(in.readNBytes(RecordFormats.HEAD_BYTES));
    }
  }

  /** What follows a container file from one of its cuts; empty for all else. */
  Optional<FrameScan> scan(long from) throws IOException {
    if (container.isEmpty()) {
      return Optional.empty();
    }
    FramedFormat format = container.get().format();
    return Optional.of(
        from == 0
            ? format.scan(boundary -> {})
            : format.scan(container.get().header(), from, boundary -> {}));
  }
}
