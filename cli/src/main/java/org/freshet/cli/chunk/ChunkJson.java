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
package org.freshet.cli.chunk;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.HexFormat;
import org.freshet.shredder.ChunkerConfig;

/**
 * Writes chunks as one JSON object: {@code config}, {@code backend}, {@code files} and, at the end,
 * {@code total}. Chunk by chunk, so that none of them need stay in memory.
 */
public final class ChunkJson implements Closeable {
  private final JsonGenerator json;
  private final boolean withChunks;
  private final String digestField;
  private final HexFormat hex = HexFormat.of();

  /** Whose chunks are being written, and whether its object has begun. */
  private String file;

  private boolean isOpen;

  /**
   * Begins the object.
   *
   * @param config its fingerprint is written, under which chunks are the same everywhere
   * @param backend what searched for them
   * @param withChunks whether each chunk is written, not only the statistics
   * @param out not closed
   */
  public ChunkJson(ChunkerConfig config, String backend, boolean withChunks, PrintWriter out)
      throws IOException {
    this.withChunks = withChunks;
    this.digestField =
        switch (config.digest()) {
          case SHA_256 -> "sha256";
          case BLAKE3 -> "blake3";
        };
    this.json =
        new ObjectMapper()
            .createGenerator(out)
            .useDefaultPrettyPrinter()
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    json.writeStartObject();
    json.writeStringField("config", config.fingerprint());
    json.writeStringField("backend", backend);
    json.writeArrayFieldStart("files");
  }

  /** The chunks that follow are this file's. Nothing is written yet. */
  public void begin(String name) {
    file = name;
    isOpen = false;
  }

  /**
   * Writes a chunk of the file, if each is written.
   *
   * @param digest null if it was not asked for
   */
  public void chunk(long offset, long length, byte[] digest) throws IOException {
    if (!withChunks) {
      return;
    }
    open();
    json.writeStartObject();
    json.writeNumberField("offset", offset);
    json.writeNumberField("length", length);
    if (digest != null) {
      json.writeStringField(digestField, hex.formatHex(digest));
    }
    json.writeEndObject();
  }

  /** There is no further chunk of the file. */
  public void end(double seconds, ChunkStatistics statistics) throws IOException {
    open();
    if (withChunks) {
      json.writeEndArray();
    }
    json.writeNumberField("seconds", seconds);
    json.writePOJOField("statistics", statistics);
    json.writeEndObject();
  }

  /** The file could not be read any further; nothing is written of it if no chunk was. */
  public void fail(String reason) throws IOException {
    if (isOpen) {
      json.writeEndArray();
      json.writeStringField("error", reason);
      json.writeEndObject();
    }
  }

  private void open() throws IOException {
    if (isOpen) {
      return;
    }
    isOpen = true;
    json.writeStartObject();
    json.writeStringField("file", file);
    if (withChunks) {
      json.writeArrayFieldStart("chunks");
    }
  }

  /** Ends the object. */
  public void finish(ChunkStatistics total) throws IOException {
    json.writeEndArray();
    json.writePOJOField("total", total);
    json.writeEndObject();
    json.writeRaw(System.lineSeparator());
  }

  @Override
  public void close() throws IOException {
    json.close();
  }
}
