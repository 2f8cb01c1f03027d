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
package org.freshet.it.formats;

import java.io.IOException;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.mapred.AvroKey;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Counts the words of Avro records with a field {@code word}. */
public final class AvroWords
    extends Mapper<AvroKey<GenericRecord>, NullWritable, Text, IntWritable> {
  @Override
  protected void map(AvroKey<GenericRecord> key, NullWritable none, Context context)
      throws IOException, InterruptedException {
    context.write(new Text(key.datum().get("word").toString()), new IntWritable(1));
  }
}
