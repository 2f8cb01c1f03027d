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

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.nativeio.NativeIO;

/**
 * The stock local file system, with permissions set in this process.
 *
 * <p>Without Hadoop's native library the stock one starts a {@code chmod} for each file it creates.
 * A leaf has two files, and two processes take longer than to sort a small leaf. Everything else is
 * stock. Thread-safe as its parent is.
 */
public final class LeafFileSystem extends LocalFileSystem {
  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  /** Made by Hadoop, by reflection. */
  public LeafFileSystem() {
    super(new Raw());
  }

  /**
   * The properties with which {@code FileSystem.getLocal} gives this file system; none where the
   * stock one starts no process, or this one could not do without.
   */
  static Map<String, String> properties() {
    return NativeIO.isAvailable() || !POSIX
        ? Map.of()
        : Map.of(
            "fs.file.impl",
            LeafFileSystem.class.getName(),
            "fs.file.impl.disable.cache",
            Boolean.TRUE.toString());
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      if (permission.getStickyBit()) {
        super.setPermission(path, permission);
        return;
      }
      try {
        Files.setPosixFilePermissions(
            pathToFile(path).toPath(), PosixFilePermissions.fromString(permission.toString()));
      } catch (NoSuchFileException e) {
        FileNotFoundException missing = new FileNotFoundException("No such file: " + path);
        missing.initCause(e);
        throw missing;
      }
    }
  }
}
