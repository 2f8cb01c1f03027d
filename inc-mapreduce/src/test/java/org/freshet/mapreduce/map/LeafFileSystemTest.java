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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeafFileSystemTest {
  @TempDir private java.nio.file.Path directory;
  private final Configuration conf = new Configuration(false);
  private FileSystem files;

  @BeforeEach
  void open() throws Exception {
    conf.set("fs.file.impl", LeafFileSystem.class.getName());
    conf.setBoolean("fs.file.impl.disable.cache", true);
    conf.set("fs.permissions.umask-mode", "027");
    files = FileSystem.getLocal(conf).getRaw();
  }

  private String permissions(String name) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name)));
  }

  @Test
  void newFilesHaveThePermissionsOfTheStockFileSystem() throws Exception {
    Configuration stock = new Configuration(false);
    stock.setBoolean("fs.file.impl.disable.cache", true);
    stock.set("fs.permissions.umask-mode", "027");

    try (FSDataOutputStream ours = files.create(new Path(directory + "/ours"));
        FSDataOutputStream theirs =
            FileSystem.getLocal(stock).getRaw().create(new Path(directory + "/theirs"))) {
      ours.write(1);
      theirs.write(1);
    }

    assertThat(permissions("ours")).isEqualTo(permissions("theirs")).isEqualTo("rw-r-----");
  }

  @Test
  void permissionsAreSetAsAsked() throws Exception {
    Files.createFile(directory.resolve("file"));
    Files.createDirectory(directory.resolve("sticky"));

    files.setPermission(new Path(directory + "/file"), new FsPermission((short) 0751));
    files.setPermission(new Path(directory + "/sticky"), new FsPermission((short) 01777));

    assertThat(permissions("file")).isEqualTo("rwxr-x--x");
    assertThat((int) Files.getAttribute(directory.resolve("sticky"), "unix:mode") & 07777)
        .isEqualTo(01777);
  }

  @Test
  void aMissingFileIsNamed() {
    Path missing = new Path(directory + "/missing");

    assertThatThrownBy(() -> files.setPermission(missing, new FsPermission((short) 0600)))
        .isInstanceOf(FileNotFoundException.class)
        .hasMessageContaining("missing");
  }
}
