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
package org.freshet.shredder.cuda;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Figures in the order in which they came up, as JSON and as tables. */
final class ProbeReport {
  private static final int COLUMN_WIDTH = 14;

  private final Map<String, Object> facts = new LinkedHashMap<>();
  private final List<Table> tables = new ArrayList<>();

  /** Notes what is true of the whole run. */
  void fact(String name, Object value) {
    facts.put(name, value);
  }

  /** Begins a table. */
  Table table(String name, String title, String... columns) {
    Table table = new Table(name, title, List.of(columns));
    tables.add(table);
    return table;
  }

  /** Rows of as many values as there are columns. */
  static final class Table {
    private final String name;
    private final String title;
    private final List<String> columns;
    private final List<List<Object>> rows = new ArrayList<>();

    private Table(String name, String title, List<String> columns) {
      this.name = name;
      this.title = title;
      this.columns = columns;
    }

    /** Adds a row; numbers are shown with three digits behind the point. */
    void row(Object... values) {
      if (values.length != columns.size()) {
        throw new IllegalArgumentException(
            "A row of " + name + " has " + columns.size() + " values, not " + values.length);
      }
      rows.add(List.of(values));
    }

    private String text() {
      StringBuilder text = new StringBuilder(title).append('\n');
      text.append(line(columns));
      for (List<Object> row : rows) {
        text.append(line(row));
      }
      return text.toString();
    }

    private static String line(List<?> cells) {
      return cells.stream()
              .map(cell -> String.format(Locale.ROOT, "%" + COLUMN_WIDTH + "s", shown(cell)))
              .collect(Collectors.joining(" "))
          + "\n";
    }

    private String json() {
      return rows.stream().map(this::json).collect(Collectors.joining(",\n    ", "[\n    ", "]"));
    }

    private String json(List<Object> row) {
      Map<String, Object> named = new LinkedHashMap<>();
      for (int i = 0; i < columns.size(); i++) {
        named.put(columns.get(i), row.get(i));
      }
      return fields(named);
    }
  }

  String toText() {
    StringBuilder text = new StringBuilder();
    facts.forEach((name, value) -> text.append(name).append(": ").append(value).append('\n'));
    for (Table table : tables) {
      text.append('\n').append(table.text());
    }
    return text.toString();
  }

  String toJson() {
    String body =
        tables.stream()
            .map(table -> "  " + quoted(table.name) + ": " + table.json())
            .collect(Collectors.joining(",\n"));
    return "{\n  \"facts\": " + fields(facts) + ",\n" + body + "\n}\n";
  }

  private static String fields(Map<String, Object> named) {
    return named.entrySet().stream()
        .map(field -> quoted(field.getKey()) + ": " + value(field.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String value(Object value) {
    return value instanceof Number || value instanceof Boolean
        ? shown(value)
        : quoted(value.toString());
  }

  private static String shown(Object value) {
    return value instanceof Double number
        ? String.format(Locale.ROOT, "%.3f", number)
        : String.valueOf(value);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
