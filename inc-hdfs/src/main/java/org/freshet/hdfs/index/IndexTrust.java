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
package org.freshet.hdfs.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Decides whose indexes are believed: those of the file's owner, who could as well change the file;
 * those of the reader; and those of the superuser; as long as nobody else may write them. Object
 * stores that have no owners are believed as a whole. Safe for use by several threads.
 */
final class IndexTrust {
  private final Map<String, String> superusers = new ConcurrentHashMap<>();

  /** Why an index is not believed; nothing if it is. */
  Optional<NoIndex> doubt(FileSystem fs, FileStatus index, IndexedPath file) throws IOException {
    if ("file".equals(fs.getUri().getScheme())) {
      return localDoubt(index.getPath(), file.path());
    }
    if (!fs.hasPathCapability(index.getPath(), CommonPathCapabilities.FS_PERMISSIONS)) {
      return Optional.empty();
    }
    FsPermission permission = index.getPermission();
    if (permission.getGroupAction().implies(FsAction.WRITE)
        || permission.getOtherAction().implies(FsAction.WRITE)) {
      return Optional.of(NoIndex.WRITABLE_BY_OTHERS);
    }
    String owner = index.getOwner();
    boolean trusted =
        owner.equals(file.status().getOwner())
            || owner.equals(UserGroupInformation.getCurrentUser().getShortUserName())
            || owner.equals(superuser(fs));
    return trusted ? Optional.empty() : Optional.of(NoIndex.UNTRUSTED_OWNER);
  }

  /** The root directory belongs to whoever formatted the file system, or whom a superuser named. */
  private String superuser(FileSystem fs) throws IOException {
    String uri = fs.getUri().toString();
    String known = superusers.get(uri);
    if (known == null) {
      known = fs.getFileStatus(new Path("/")).getOwner();
      superusers.put(uri, known);
    }
    return known;
  }

  /** Hadoop's status of a local file would start a process to ask for the owner. */
  private static Optional<NoIndex> localDoubt(Path index, Path file) throws IOException {
    PosixFileAttributes attributes;
    PosixFileAttributes ofFile;
    try {
      // A link may lead to the file of someone who is trusted now, and elsewhere a moment later.
      attributes = attributes(index, LinkOption.NOFOLLOW_LINKS);
      ofFile = attributes(file);
    } catch (UnsupportedOperationException e) {
      return Optional.of(NoIndex.UNTRUSTED_OWNER);
    }
    if (!attributes.isRegularFile()) {
      return Optional.of(NoIndex.UNTRUSTED_OWNER);
    }
    if (attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
        || attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
      return Optional.of(NoIndex.WRITABLE_BY_OTHERS);
    }
    String owner = attributes.owner().getName();
    boolean trusted =
        owner.equals(ofFile.owner().getName())
            || owner.equals(System.getProperty("user.name"))
            || owner.equals("root");
    return trusted ? Optional.empty() : Optional.of(NoIndex.UNTRUSTED_OWNER);
  }

  private static PosixFileAttributes attributes(Path path, LinkOption... options)
      throws IOException {
    return Files.readAttributes(
        java.nio.file.Path.of(path.toUri().getPath()), PosixFileAttributes.class, options);
  }
}
