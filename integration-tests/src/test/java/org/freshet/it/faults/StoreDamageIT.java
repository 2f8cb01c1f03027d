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
package org.freshet.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.mapred.JobConf;
import org.freshet.it.harness.LocalHadoop;
import org.freshet.it.harness.SideBySide;
import org.freshet.it.harness.WorkDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files of the store are damaged between two runs: time is lost and nothing else. */
@Tag("faults")
class StoreDamageIT {
  private final Path root;
  private final Path store;
  private final JobConf stock;
  private final FragileJob job;
  private final FileSystem fs;

  StoreDamageIT() throws IOException {
    java.nio.file.Path work = WorkDirectory.fresh("store-damage");
    root = new Path(work.toString());
    store = new Path(root, "store");
    stock = LocalHadoop.stock(work.resolve("tmp-stock"));
    fs = FileSystem.getLocal(stock);
    job =
        new FragileJob(
            root,
            stock,
            LocalHadoop.freshet(work.resolve("tmp"), work.resolve("store"), 1 << 10, 4));
  }

  /** What becomes of a file. */
  enum Damage {
    TRUNCATED {
      @Override
      byte[] of(byte[] bytes) {
        return Arrays.copyOf(bytes, bytes.length / 2);
      }
    },
    EMPTIED {
      @Override
      byte[] of(byte[] bytes) {
        return new byte[0];
      }
    },
    EARLY_BIT_FLIPPED {
      @Override
      byte[] of(byte[] bytes) {
        return flipped(bytes, bytes.length / 8);
      }
    },
    LATE_BIT_FLIPPED {
      @Override
      byte[] of(byte[] bytes) {
        return flipped(bytes, bytes.length - 1);
      }
    },
    LENGTHENED {
      @Override
      byte[] of(byte[] bytes) {
        return Arrays.copyOf(bytes, bytes.length + 7);
      }
    },
    DELETED {
      @Override
      byte[] of(byte[] bytes) {
        return null;
      }
    };

    /** The file's new content, or null for no file. */
    abstract byte[] of(byte[] bytes);

    private static byte[] flipped(byte[] bytes, int at) {
      byte[] copy = bytes.clone();
      if (copy.length > 0) {
        copy[at] ^= 0x10;
      }
      return copy;
    }
  }

  private List<Path> storedFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> listed = fs.listFiles(store, true);
    while (listed.hasNext()) {
      files.add(listed.next().getPath());
    }
    return files.stream().sorted().toList();
  }

  private void damage(Path file, Damage damage) throws IOException {
    byte[] bytes;
    try (InputStream in = fs.open(file)) {
      bytes = in.readAllBytes();
    }
    byte[] damaged = damage.of(bytes);
    fs.delete(file, false);
    if (damaged != null) {
      try (OutputStream out = fs.create(file)) {
        out.write(damaged);
      }
    }
  }

  /** Every single file of the store in turn, so that none is trusted. */
  @ParameterizedTest
  @EnumSource
  void aDamagedFileOfTheStoreCostsTimeOnly(Damage damage) throws IOException {
    job.sides().assertEqualToStock();
    job.editOneLine();
    job.sides().assertEqualToStock();
    Path backup = new Path(root, "backup");
    FileUtil.copy(fs, store, fs, backup, false, stock);
    List<Path> files = storedFiles();
    assertThat(files).hasSizeGreaterThan(3);
    job.editOneLine();
    SideBySide.StockRun expected = job.sides().runStock();
    for (Path file : files) {
      fs.delete(store, true);
      FileUtil.copy(fs, backup, fs, store, false, stock);
      damage(file, damage);
      try {
        job.sides().assertEqual(expected, job.sides().runFreshet(), job.sides().lastOutput());
        job.sides().assertEqual(expected, job.sides().runFreshet(), job.sides().lastOutput());
      } catch (AssertionError e) {
        throw new AssertionError("after " + file + " was " + damage, e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStoreDamagedThroughoutCostsTimeOnly(Damage damage) throws IOException {
    job.sides().assertEqualToStock();
    for (Path file : storedFiles()) {
      damage(file, damage);
    }
    job.editOneLine();
    job.assertRecovers();
  }
}
