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
package org.freshet.memo;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What the user's map counted while a leaf was made: group and name to a 64-bit value. Kept with
 * the leaf and added back when the leaf is reused, so that a job's totals are those of a stock run.
 *
 * <p>A counter of value 0 is a counter: stock Hadoop lists it too. Sums wrap around as Hadoop's do.
 * Immutable; equal if group, name and value of each counter are.
 */
public final class CounterSet {
  /** No counters. */
  public static final CounterSet EMPTY = new CounterSet(new TreeMap<>());

  private record Name(String group, String name) implements Comparable<Name> {
    @Override
    public int compareTo(Name other) {
      int byGroup = group.compareTo(other.group);
      return byGroup != 0 ? byGroup : name.compareTo(other.name);
    }
  }

  /** Takes one counter at a time. */
  @FunctionalInterface
  public interface Visitor {
    /** Called once per counter. */
    void visit(String group, String name, long value);
  }

  private final TreeMap<Name, Long> values;

  private CounterSet(TreeMap<Name, Long> values) {
    this.values = values;
  }

  /** A builder with no counters yet. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether there are no counters at all. */
  public boolean isEmpty() {
    return values.isEmpty();
  }

  /** Number of counters. */
  public int size() {
    return values.size();
  }

  /** The counter's value; 0 if there is none of that name. */
  public long value(String group, String name) {
    return values.getOrDefault(new Name(group, name), 0L);
  }

  /** Visits each counter, ordered by group, then name. */
  public void forEach(Visitor visitor) {
    values.forEach((name, value) -> visitor.visit(name.group, name.name, value));
  }

  /** The sums of both sets' counters. */
  public CounterSet plus(CounterSet other) {
    if (other.isEmpty()) {
      return this;
    }
    if (isEmpty()) {
      return other;
    }
    TreeMap<Name, Long> sum = new TreeMap<>(values);
    other.values.forEach((name, value) -> sum.merge(name, value, Long::sum));
    return new CounterSet(sum);
  }

  /** Each counter multiplied, as for a leaf that occurs several times in the input. */
  public CounterSet times(long factor) {
    if (factor == 1 || isEmpty()) {
      return this;
    }
    TreeMap<Name, Long> product = new TreeMap<>(values);
    product.replaceAll((name, value) -> value * factor);
    return new CounterSet(product);
  }

  /** How a counter's group and name are written; a file of many sets can write each text once. */
  @FunctionalInterface
  interface TextWriter {
    void write(DataOutput out, String text) throws IOException;
  }

  /** The way back from a {@link TextWriter}. */
  @FunctionalInterface
  interface TextReader {
    String read(DataInput in) throws IOException;
  }

  /** Writes the set so that {@link #read(DataInput)} gives it back. */
  public void write(DataOutput out) throws IOException {
    write(out, Wire::writeString);
  }

  void write(DataOutput out, TextWriter texts) throws IOException {
    Wire.writeUnsigned(out, values.size());
    for (Map.Entry<Name, Long> e : values.entrySet()) {
      texts.write(out, e.getKey().group);
      texts.write(out, e.getKey().name);
      Wire.writeSigned(out, e.getValue());
    }
  }

  /**
   * Reads what {@link #write(DataOutput)} wrote.
   *
   * @throws CorruptStoreException if the bytes cannot be a counter set
   */
  public static CounterSet read(DataInput in) throws IOException {
    return read(in, i -> Wire.readString(i, "counter name"));
  }

  static CounterSet read(DataInput in, TextReader texts) throws IOException {
    Builder builder = builder();
    for (int n = Wire.readInt(in, "number of counters", Integer.MAX_VALUE); n > 0; n--) {
      String group = texts.read(in);
      String name = texts.read(in);
      builder.add(group, name, Wire.readSigned(in));
    }
    return builder.build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CounterSet that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    StringBuilder s = new StringBuilder("{");
    forEach(
        (group, name, value) ->
            s.append(s.length() > 1 ? ", " : "")
                .append(group)
                .append(':')
                .append(name)
                .append('=')
                .append(value));
    return s.append('}').toString();
  }

  /**
   * Collects counters; adding to one twice adds up. Not thread-safe; may be used again after a
   * build.
   */
  public static final class Builder {
    private final TreeMap<Name, Long> values = new TreeMap<>();

    private Builder() {}

    /** Adds to a counter, which begins at 0. */
    public Builder add(String group, String name, long value) {
      values.merge(
          new Name(Objects.requireNonNull(group, "group"), Objects.requireNonNull(name, "name")),
          value,
          Long::sum);
      return this;
    }

    /** Adds each counter of a set. */
    public Builder add(CounterSet set) {
      set.values.forEach((name, value) -> values.merge(name, value, Long::sum));
      return this;
    }

    /** The counters added so far. */
    public CounterSet build() {
      return values.isEmpty() ? EMPTY : new CounterSet(new TreeMap<>(values));
    }
  }
}
