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
package org.freshet.hdfs.format;

import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/**
 * Tells how files are cut that input formats other than Hadoop's and Avro's read. Found by {@link
 * java.util.ServiceLoader} through the class loader of the job's configuration, on the client that
 * submits the job; tasks do not need it.
 *
 * <p>Whoever provides a format answers for what {@link RecordFormat} promises: given the split of a
 * chunk, the input format reads just the chunk's records, whatever comes before and behind it in
 * the file. {@link RecordFormats#aligned} makes formats whose records end where their bytes say so.
 * The name of a format has to change when what it cuts or how it is read does. Instances are used
 * by one thread at a time.
 */
public interface RecordFormatProvider {
  /**
   * How files are cut that an input format reads.
   *
   * @param inputFormat class name; never one that {@link RecordFormats} knows itself
   * @param conf of the job, as the user made it
   * @return empty for input formats of others
   */
  Optional<FormatChoice> of(String inputFormat, Configuration conf);
}
