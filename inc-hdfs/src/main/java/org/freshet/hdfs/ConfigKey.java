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
package org.freshet.hdfs;

import java.util.Locale;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;

/**
 * One declared configuration key: name, type, default, range and a sentence for the reference page.
 * Immutable. Reading a value outside the range throws {@link IllegalArgumentException} naming the
 * key, the value and what was expected.
 *
 * @param name the property name
 * @param type what the value is
 * @param defaultValue the default as it would be written in a site file; empty for none
 * @param range the accepted values, in words
 * @param description one sentence for users
 */
public record ConfigKey(
    String name, Type type, String defaultValue, String range, String description) {

  /** The type of a value. */
  public enum Type {
    BOOLEAN,
    INTEGER,
    BYTES,
    DOUBLE,
    CHOICE,
    PATTERN,
    PATH
  }

  public ConfigKey {
    Objects.requireNonNull(name);
    Objects.requireNonNull(defaultValue);
  }

  /** The value, or the default where none is set. */
  public String get(Configuration conf) {
    return conf.getTrimmed(name, defaultValue);
  }

  /** The value as a boolean. */
  public boolean getBoolean(Configuration conf) {
    String value = get(conf).toLowerCase(Locale.ROOT);
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw invalid(value, "true or false");
    };
  }

  /** The value as an integer between two bounds, both included. */
  public int getInt(Configuration conf, int min, int max) {
    String value = get(conf);
    try {
      int parsed = Integer.parseInt(value);
      if (parsed >= min && parsed <= max) {
        return parsed;
      }
    } catch (NumberFormatException e) {
      // reported below with the range
    }
    throw invalid(value, "an integer from " + min + " to " + max);
  }

  /** The value in bytes; the suffixes k, m and g (powers of 1024) are understood. */
  public long getBytes(Configuration conf, long min, long max) {
    try {
      long parsed = conf.getLongBytes(name, Long.parseLong(defaultValue));
      if (parsed >= min && parsed <= max) {
        return parsed;
      }
    } catch (IllegalArgumentException | StringIndexOutOfBoundsException e) {
      // reported below with the range; Hadoop's parser trips over an empty value
    }
    throw invalid(get(conf), "a number of bytes from " + min + " to " + max);
  }

  /** The value as a fraction from 0 to 1. */
  public double getFraction(Configuration conf) {
    String value = get(conf);
    try {
      double parsed = Double.parseDouble(value);
      if (parsed >= 0 && parsed <= 1) {
        return parsed;
      }
    } catch (NumberFormatException e) {
      // reported below with the range
    }
    throw invalid(value, "a fraction from 0 to 1");
  }

  /** The value as one of an enumeration's constants, in lower case. */
  public <E extends Enum<E>> E getChoice(Configuration conf, Class<E> choices) {
    String value = get(conf);
    for (E choice : choices.getEnumConstants()) {
      if (choice.name().toLowerCase(Locale.ROOT).equals(value.toLowerCase(Locale.ROOT))) {
        return choice;
      }
    }
    throw invalid(value, range);
  }

  /** A key has a value that it can't have. */
  public static final class InvalidValueException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    InvalidValueException(String message) {
      super(message);
    }
  }

  /** The error that says that this key has a value outside its range. */
  public InvalidValueException invalid(String value) {
    return invalid(value, range);
  }

  private InvalidValueException invalid(String value, String expected) {
    return new InvalidValueException(
        "Configuration key " + name + " has the value '" + value + "'; expected " + expected);
  }
}
