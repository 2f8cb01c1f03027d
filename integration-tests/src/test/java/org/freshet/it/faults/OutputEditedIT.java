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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.freshet.it.harness.JobOutcome;
import org.freshet.it.harness.LocalHadoop;
import org.freshet.it.harness.WorkDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The last output is changed by hand before the next run, which must not copy it. */
@Tag("faults")
class OutputEditedIT {

  /** What a hand does to the output; {@code part} is its first file. */
  enum Hand {
    EDITS_IN_PLACE_AND_KEEPS_LENGTH_AND_TIME {
      @Override
      void touches(Path part) throws IOException {
        FileTime time = Files.getLastModifiedTime(part);
        byte[] bytes = Files.readAllBytes(part);
        bytes[bytes.length / 2] ^= 1;
        Files.write(part, bytes);
        Files.deleteIfExists(checksum(part));
        Files.setLastModifiedTime(part, time);
      }
    },
    EDITS_IN_PLACE_UNDER_THE_OLD_CHECKSUM {
      @Override
      void touches(Path part) throws IOException {
        byte[] bytes = Files.readAllBytes(part);
        bytes[0] ^= 1;
        Files.write(part, bytes);
      }
    },
    EMPTIES_A_PART {
      @Override
      void touches(Path part) throws IOException {
        Files.write(part, new byte[0]);
        Files.deleteIfExists(checksum(part));
      }
    },
    DELETES_A_PART {
      @Override
      void touches(Path part) throws IOException {
        Files.delete(part);
        Files.deleteIfExists(checksum(part));
      }
    },
    PUTS_A_DIRECTORY_IN_ITS_PLACE {
      @Override
      void touches(Path part) throws IOException {
        DELETES_A_PART.touches(part);
        Files.createDirectory(part);
      }
    },
    ADDS_A_FILE {
      @Override
      void touches(Path part) throws IOException {
        Files.writeString(part.resolveSibling("part-r-00099"), "not of this job\n");
      }
    },
    REMOVES_THE_SUCCESS_MARK {
      @Override
      void touches(Path part) throws IOException {
        Files.delete(part.resolveSibling("_SUCCESS"));
      }
    },
    DELETES_THE_DIRECTORY {
      @Override
      void touches(Path part) throws IOException {
        WorkDirectory.delete(part.getParent());
      }
    };

    abstract void touches(Path part) throws IOException;

    private static Path checksum(Path part) {
      return part.resolveSibling("." + part.getFileName() + ".crc");
    }
  }

  @ParameterizedTest
  @EnumSource
  void anEditedOutputIsNotReused(Hand hand) throws IOException {
    Path work = WorkDirectory.fresh("output-edited");
    FragileJob job =
        new FragileJob(
            new org.apache.hadoop.fs.Path(work.toString()),
            LocalHadoop.stock(work.resolve("tmp-stock")),
            LocalHadoop.freshet(work.resolve("tmp"), work.resolve("store"), 1 << 10, 3));
    job.sides().assertEqualToStock();
    hand.touches(firstPart(job));
    JobOutcome unchanged = job.sides().assertEqualToStock();
    assertThat(unchanged.counter("Freshet", "CHUNKS_ADDED")).as("chunks mapped again").isZero();

    hand.touches(firstPart(job));
    job.editOneLine();
    job.assertRecovers();
  }

  private static Path firstPart(FragileJob job) {
    return Path.of(job.sides().lastOutput().toUri().getPath()).resolve("part-r-00000");
  }
}
