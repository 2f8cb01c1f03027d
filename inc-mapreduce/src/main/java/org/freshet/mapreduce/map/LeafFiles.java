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
package org.freshet.mapreduce.map;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskID;

/** Local file names of one chunk's spills and output, in a directory of their own. */
public final class LeafFiles extends MapOutputFile {
  private static final String OUTPUT = "file.out";
  private static final String INDEX = ".index";

  private final LocalDirAllocator allocator = new LocalDirAllocator(MRConfig.LOCAL_DIR);
  private final String directory;

  /**
   * @param directory below the task's local directories
   */
  public LeafFiles(Configuration conf, String directory) {
    super.setConf(conf);
    this.directory = directory;
  }

  private Path existing(String name) throws IOException {
    return allocator.getLocalPathToRead(directory + "/" + name, getConf());
  }

  private Path fresh(String name, long size) throws IOException {
    return allocator.getLocalPathForWrite(directory + "/" + name, size, getConf());
  }

  /** A place for a file of the task's own. */
  public Path scratch(String name) throws IOException {
    return allocator.getLocalPathForWrite(directory + "/" + name, getConf());
  }

  @Override
  public Path getOutputFile() throws IOException {
    return existing(OUTPUT);
  }

  @Override
  public Path getOutputFileForWrite(long size) throws IOException {
    return fresh(OUTPUT, size);
  }

  @Override
  public Path getOutputFileForWriteInVolume(Path existing) {
    return new Path(existing.getParent(), OUTPUT);
  }

  @Override
  public Path getOutputIndexFile() throws IOException {
    return existing(OUTPUT + INDEX);
  }

  @Override
  public Path getOutputIndexFileForWrite(long size) throws IOException {
    return fresh(OUTPUT + INDEX, size);
  }

  @Override
  public Path getOutputIndexFileForWriteInVolume(Path existing) {
    return new Path(existing.getParent(), OUTPUT + INDEX);
  }

  @Override
  public Path getSpillFile(int number) throws IOException {
    return existing(spill(number));
  }

  @Override
  public Path getSpillFileForWrite(int number, long size) throws IOException {
    return fresh(spill(number), size);
  }

  @Override
  public Path getSpillIndexFile(int number) throws IOException {
    return existing(spill(number) + INDEX);
  }

  @Override
  public Path getSpillIndexFileForWrite(int number, long size) throws IOException {
    return fresh(spill(number) + INDEX, size);
  }

  private static String spill(int number) {
    return "spill" + number + ".out";
  }

  @Override
  public Path getInputFile(int mapId) {
    throw new UnsupportedOperationException("a leaf has no reduce input");
  }

  @Override
  public Path getInputFileForWrite(TaskID mapId, long size) {
    throw new UnsupportedOperationException("a leaf has no reduce input");
  }

  @Override
  public void removeAll() throws IOException {
    for (String local : getConf().getTrimmedStrings(MRConfig.LOCAL_DIR)) {
      FileSystem.getLocal(getConf()).getRaw().delete(new Path(local, directory), true);
    }
  }
}
