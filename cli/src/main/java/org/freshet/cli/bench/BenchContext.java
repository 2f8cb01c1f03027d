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
package org.freshet.cli.bench;

import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.freshet.cli.program.Installation;

/**
 * What a benchmark is given.
 *
 * @param installation the jars to measure
 * @param workDirectory an existing directory to work in; what is in it may be deleted
 * @param quick whether to measure less data and fewer cases, in half an hour at most on two cores
 * @param sizeMb the size of the input in MB, where the user names one
 * @param runs how often each case is measured, where the user says so
 * @param progress told one line per step
 * @param series takes curves, which are kept with the rows
 */
public record BenchContext(
    Installation installation,
    Path workDirectory,
    boolean quick,
    OptionalInt sizeMb,
    OptionalInt runs,
    Consumer<String> progress,
    Consumer<BenchSeries> series) {}
