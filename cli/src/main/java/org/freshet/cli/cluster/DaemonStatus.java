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

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a daemon does.
 *
 * @param name its name in the cluster, such as {@code datanode-1}
 * @param title what people call it
 * @param pid the process id it was launched with
 * @param running whether that very process still runs
 * @param web the address of its web page
 * @param log the file that holds its log
 */
public record DaemonStatus(
    String name, String title, long pid, boolean running, Optional<String> web, Path log) {}
