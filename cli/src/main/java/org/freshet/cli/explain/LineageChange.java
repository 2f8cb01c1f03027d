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
package org.freshet.cli.explain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.freshet.mapreduce.submit.Lineage;

/**
 * One fact in which two jobs differ.
 *
 * @param fact its name, as {@link Lineage#facts} gives it
 * @param before its value then, or null
 * @param after its value now, or null
 */
public record LineageChange(String fact, String before, String after) {
  private static final String PROPERTY = "property.";
  private static final String CLASS = "class.";
  private static final String CODE = "code.";
  private static final String FILE = "file.";

  /** How much of a value is shown to people. */
  private static final int SHOWN = 120;

  /** The facts in which two lineages differ, in order of their names. */
  static List<LineageChange> between(Map<String, String> before, Map<String, String> after) {
    TreeSet<String> names = new TreeSet<>(before.keySet());
    names.addAll(after.keySet());
    List<LineageChange> changes = new ArrayList<>();
    for (String name : names) {
      String was = before.get(name);
      String is = after.get(name);
      if (was == null || !was.equals(is)) {
        changes.add(new LineageChange(name, was, is));
      }
    }
    return changes;
  }

  /** One line for people; digests are not shown, only that they differ. */
  String sentence() {
    if (fact.startsWith(PROPERTY)) {
      return "property " + fact.substring(PROPERTY.length()) + ": " + values("not set");
    }
    if (fact.startsWith(CLASS)) {
      return fact.substring(CLASS.length()) + " class: " + values("none");
    }
    if (fact.equals("code.jar")) {
      return "job jar" + contents();
    }
    if (fact.startsWith(CODE)) {
      return "the jar or directory with the "
          + fact.substring(CODE.length())
          + " class"
          + contents();
    }
    if (fact.startsWith(FILE)) {
      return fileName() + contents();
    }
    return switch (fact) {
      case "reduces" -> "number of reduces: " + values("none");
      case "hadoop" -> "version of Hadoop: " + values("none");
      case "format" -> "format of the memo store: " + values("none");
      case "leafNaming" -> "how chunks are named: " + values("none");
      default -> fact + ": " + values("none");
    };
  }

  private String values(String absent) {
    return shown(before, absent) + " -> " + shown(after, absent);
  }

  private static String shown(String value, String absent) {
    if (value == null) {
      return "(" + absent + ")";
    }
    return value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "...";
  }

  private String contents() {
    return before == null
        ? ": new"
        : after == null ? ": not there any more" : " has other contents";
  }

  /** From {@code file.<property>.<number>.<name>}, where the property may have dots. */
  private String fileName() {
    String[] parts = fact.substring(FILE.length()).split("\\.(?=\\d+\\.)", 2);
    String property = parts[0];
    String name = parts.length == 1 ? "" : parts[1].substring(parts[1].indexOf('.') + 1);
    String kind =
        switch (property) {
          case "tmpjars" -> "library jar ";
          case "tmpfiles", "mapreduce.job.cache.files" -> "cache file ";
          case "tmparchives", "mapreduce.job.cache.archives" -> "cache archive ";
          default -> property + " ";
        };
    return kind + name;
  }
}
