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
package org.freshet.it.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;

/** Writes Avro container files. Stateless. */
public final class AvroFile {
  private AvroFile() {}

  /**
   * Writes a file, replacing what is there.
   *
   * @param codec by Avro's name, such as {@code null} and {@code deflate}
   * @param syncBytes a sync marker comes after about so many bytes
   * @param fill sets the fields of the record that a value becomes
   */
  public static <T> void write(
      Path file,
      Schema schema,
      String codec,
      int syncBytes,
      List<T> values,
      BiConsumer<GenericRecord, T> fill)
      throws IOException {
    try (DataFileWriter<GenericRecord> writer =
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(schema))) {
      writer.setCodec(CodecFactory.fromString(codec));
      writer.setSyncInterval(syncBytes);
      writer.create(schema, file.toFile());
      for (T value : values) {
        GenericRecord datum = new GenericData.Record(schema);
        fill.accept(datum, value);
        writer.append(datum);
      }
    }
  }
}
