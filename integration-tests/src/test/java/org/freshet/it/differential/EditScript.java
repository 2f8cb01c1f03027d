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
package org.freshet.it.differential;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Applies edits to versions. An edit that the version can't take (such as deleting a line of an
 * empty file) adds a file instead. Deterministic in its random source; not thread-safe.
 */
final class EditScript {
  private final RandomInput source;
  private final Random random;

  EditScript(RandomInput source, Random random) {
    this.source = source;
    this.random = random;
  }

  /** The version that {@code edit} makes of the last one in {@code history}. */
  Version next(Edit edit, List<Version> history) {
    Version last = history.get(history.size() - 1);
    InputTree input = last.input();
    List<String> filled =
        input.paths().stream().filter(p -> !input.files().get(p).units().isEmpty()).toList();
    return switch (edit) {
      case CHANGE_UNIT,
          INSERT_UNIT,
          DELETE_UNIT,
          CHANGE_BLOCK,
          MOVE_BLOCK,
          APPEND,
          PREPEND,
          TRUNCATE,
          EMPTY_FILE,
          SPLIT_FILE ->
          filled.isEmpty()
              ? last.with(Edit.ADD_FILE, addFile(input))
              : last.with(edit, editFile(edit, input, RandomJob.pick(random, filled)));
      case DUPLICATE_FILE, REMOVE_FILE, RENAME_FILE ->
          input.files().isEmpty()
              ? last.with(Edit.ADD_FILE, addFile(input))
              : last.with(edit, moveFile(edit, input, RandomJob.pick(random, input.paths())));
      case SWAP_FILES, JOIN_FILES ->
          input.files().size() < 2
              ? last.with(Edit.ADD_FILE, addFile(input))
              : last.with(edit, twoFiles(edit, input));
      case ADD_FILE -> last.with(edit, addFile(input));
      case CHANGE_BACK -> last.with(edit, history.get(Math.max(0, history.size() - 2)).input());
      case CHANGE_PROPERTY ->
          new Version(edit, last.job().withSalt("salt" + random.nextInt(100)), input);
      case CHANGE_REDUCES ->
          new Version(
              edit,
              last.job().reduces() == 0
                  ? last.job()
                  : last.job().withReduces(1 + random.nextInt(5)),
              input);
      case NOTHING, TOUCH, DELETE_OUTPUT, CORRUPT_OUTPUT, SAME_OUTPUT_PATH, EXISTING_OUTPUT ->
          last.with(edit, input);
    };
  }

  private InputTree addFile(InputTree input) {
    return input.with(freshPath(input), source.file(random.nextInt(8_000)));
  }

  private String freshPath(InputTree input) {
    String path = source.freshPath(random.nextInt(1_000));
    return input.files().containsKey(path) ? freshPath(input) : path;
  }

  private InputTree editFile(Edit edit, InputTree input, String path) {
    InputFile file = input.files().get(path);
    List<byte[]> units = new ArrayList<>(file.units());
    int at = random.nextInt(units.size());
    int end = Math.min(units.size(), at + 1 + random.nextInt(Math.max(1, units.size() / 4)));
    switch (edit) {
      case CHANGE_UNIT -> units.set(at, source.unit());
      case INSERT_UNIT -> units.add(at, source.unit());
      case DELETE_UNIT -> units.remove(at);
      case CHANGE_BLOCK -> Collections.fill(units.subList(at, end), source.unit());
      case MOVE_BLOCK -> {
        List<byte[]> block = List.copyOf(units.subList(at, end));
        units.subList(at, end).clear();
        units.addAll(random.nextInt(units.size() + 1), block);
      }
      case APPEND -> units.addAll(source.units(1 + random.nextInt(3_000)));
      case PREPEND -> units.addAll(0, source.units(1 + random.nextInt(1_000)));
      case TRUNCATE -> units.subList(at, units.size()).clear();
      case EMPTY_FILE -> units.clear();
      case SPLIT_FILE -> {
        List<byte[]> tail = List.copyOf(units.subList(at, units.size()));
        units.subList(at, units.size()).clear();
        return input.with(path, file.withUnits(units)).with(freshPath(input), file.withUnits(tail));
      }
      default -> throw new IllegalArgumentException("not an edit of one file: " + edit);
    }
    return input.with(path, file.withUnits(units));
  }

  private InputTree moveFile(Edit edit, InputTree input, String path) {
    InputFile file = input.files().get(path);
    return switch (edit) {
      case DUPLICATE_FILE -> input.with(freshPath(input), file);
      case REMOVE_FILE -> input.without(path);
      case RENAME_FILE -> input.without(path).with(freshPath(input), file);
      default -> throw new IllegalArgumentException("not an edit of one name: " + edit);
    };
  }

  private InputTree twoFiles(Edit edit, InputTree input) {
    List<String> paths = new ArrayList<>(input.paths());
    Collections.shuffle(paths, random);
    InputFile first = input.files().get(paths.get(0));
    InputFile second = input.files().get(paths.get(1));
    if (edit == Edit.SWAP_FILES) {
      return input.with(paths.get(0), second).with(paths.get(1), first);
    }
    List<byte[]> joined = new ArrayList<>(first.units());
    joined.addAll(second.units());
    return input.without(paths.get(1)).with(paths.get(0), first.withUnits(joined));
  }
}
