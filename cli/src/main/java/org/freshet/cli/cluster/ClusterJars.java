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
package org.freshet.cli.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a cluster's daemons are started from. Looked up where a cluster has such daemons only.
 *
 * @param hadoop Hadoop's class path
 * @param spark Spark's class path, with Hadoop's client
 * @param sparkHistory what Spark's history server has beside it, to show more; may be empty
 */
public record ClusterJars(ClassPath hadoop, ClassPath spark, ClassPath sparkHistory) {

  /** Jars that may have to be found first. */
  public interface ClassPath {
    /**
     * The jars.
     *
     * @throws IOException if they were not built
     */
    List<Path> get() throws IOException;
  }
}
