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

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The stock checksummed local file system, with permissions read and set through the JDK.
 *
 * <p>Without Hadoop's native library the stock one starts a {@code chmod} or an {@code ls} process
 * for each, about twenty in a local job, which is most of the time that a job on a few kilobytes
 * takes. Everything else is stock. Thread-safe as its parent is.
 */
public final class ForkFreeLocalFileSystem extends LocalFileSystem {

  /** Made by Hadoop, by reflection, for {@code fs.file.impl}. */
  public ForkFreeLocalFileSystem() {
    super(new Raw());
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      try {
        Files.setPosixFilePermissions(pathToFile(path).toPath(), posix(permission));
      } catch (NoSuchFileException e) {
        throw missing(path, e);
      }
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      return withPermissions(super.getFileStatus(path));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
      FileStatus[] listed = super.listStatus(path);
      for (int i = 0; i < listed.length; i++) {
        listed[i] = withPermissions(listed[i]);
      }
      return listed;
    }

    private FileStatus withPermissions(FileStatus status) throws IOException {
      try {
        PosixFileAttributes attributes =
            Files.readAttributes(pathToFile(status.getPath()).toPath(), PosixFileAttributes.class);
        return new FileStatus(
            status.getLen(),
            status.isDirectory(),
            status.getReplication(),
            status.getBlockSize(),
            status.getModificationTime(),
            status.getAccessTime(),
            hadoop(attributes.permissions()),
            attributes.owner().getName(),
            attributes.group().getName(),
            status.getPath());
      } catch (NoSuchFileException e) {
        throw missing(status.getPath(), e);
      }
    }

    private static FileNotFoundException missing(Path path, NoSuchFileException cause) {
      FileNotFoundException missing = new FileNotFoundException("No such file: " + path);
      missing.initCause(cause);
      return missing;
    }

    private static Set<PosixFilePermission> posix(FsPermission permission) {
      EnumSet<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
      int bits = permission.toShort();
      for (PosixFilePermission p : PosixFilePermission.values()) {
        if ((bits & bit(p)) != 0) {
          set.add(p);
        }
      }
      return set;
    }

    private static FsPermission hadoop(Set<PosixFilePermission> set) {
      short bits = 0;
      for (PosixFilePermission p : set) {
        bits |= (short) bit(p);
      }
      return new FsPermission(bits);
    }

    private static int bit(PosixFilePermission p) {
      return switch (p) {
        case OWNER_READ -> 0400;
        case OWNER_WRITE -> 0200;
        case OWNER_EXECUTE -> 0100;
        case GROUP_READ -> 040;
        case GROUP_WRITE -> 020;
        case GROUP_EXECUTE -> 010;
        case OTHERS_READ -> 04;
        case OTHERS_WRITE -> 02;
        case OTHERS_EXECUTE -> 01;
      };
    }
  }
}
