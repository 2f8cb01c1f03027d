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
import org.freshet.shredder.ChunkerConfig;

/**
 * Writes chunks as one JSON object: {@code config}, {@code backend}, {@code files} and, at the end,
 * {@code total}. File by file, so that only one file's chunks need be in memory.
 */
public final class ChunkJson implements Closeable {
  private final JsonGenerator json;
  private final boolean withChunks;
  private final String digestField;

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

  /** Writes a file. */
  public void write(ChunkListing listing) throws IOException {
    json.writeStartObject();
    json.writeStringField("file", listing.file());
    json.writeNumberField("seconds", listing.seconds());
    json.writePOJOField("statistics", listing.statistics());
    if (withChunks) {
      json.writeArrayFieldStart("chunks");
      for (ChunkListing.Line line : listing.chunks()) {
        json.writeStartObject();
        json.writeNumberField("offset", line.offset());
        json.writeNumberField("length", line.length());
        if (line.digest() != null) {
          json.writeStringField(digestField, line.digest());
        }
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    json.writeEndObject();
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
