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
package org.freshet.mapreduce.analysis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.objectweb.asm.Type;

/**
 * Finds static fields whose content one chunk can change and a later chunk in the same JVM can see.
 *
 * <p>Values flow between {@link Origin}s: from a static field into a parameter, into a field, out
 * of a method. Where a value that a static field flows to is changed (a mutating call on a
 * collection, a store into an array, an assignment to a field of the object), the static field
 * holds mutable state. Tables that are filled by the static initializer and only read afterwards do
 * not.
 *
 * <p>A static Writable that is overwritten for each record ({@code word.set(token)}) is the common
 * way to save allocations and carries nothing over, so it counts only if it is also read back.
 */
final class StaticState {

  private static final String WRITABLE = "org/apache/hadoop/io/Writable";

  /** Calls that change a collection, buffer, generator or counter. */
  static final Pattern MUTATING_CALL =
      Pattern.compile(
          "(accept|add|append|put|insert|set|remove|clear|increment|decrement|getAnd|getOrElseUpdate|compareAnd|poll"
              + "|push|pop|offer|take|drain|retain|replace|delete|merge|compute|accumulate"
              + "|update|sort|fill|swap|reverse|flip|or|xor|and|next(Int|Long|Double|Float|Boolean|Bytes|Gaussian)|readFields"
              + "|\\$plus\\$eq|\\$minus\\$eq|\\$plus\\$plus\\$eq|lazySet|weakCompare|write|print).*");

  private static final Pattern OVERWRITING_METHOD = Pattern.compile("(set|readFields|clear).*");

  /** Methods of a value class that everyone calls and that add nothing up. */
  private static final Pattern VALUE_METHOD =
      Pattern.compile("(set.*|readFields|write|compareTo|compare|equals|hashCode|toString|clear)");

  /** Calls that give a job's output what it is at that moment. */
  private static final Set<String> EMITTING_CALLS = Set.of("write", "collect");

  private static final Set<String> MUTATING_HELPERS =
      Set.of(
          "java/util/Collections.addAll",
          "java/util/Collections.sort",
          "java/util/Collections.shuffle",
          "java/util/Collections.reverse",
          "java/util/Collections.swap",
          "java/util/Collections.fill",
          "java/util/Collections.rotate",
          "java/util/Collections.replaceAll",
          "java/util/Collections.copy",
          "java/util/Arrays.sort",
          "java/util/Arrays.fill",
          "java/util/Arrays.setAll",
          "java/util/Arrays.parallelSort",
          "java/util/Arrays.parallelSetAll",
          "java/util/Arrays.parallelPrefix",
          "com/google/common/collect/Iterables.addAll",
          "com/google/common/collect/Iterators.addAll",
          "kotlin/collections/CollectionsKt.addAll",
          "kotlin/collections/CollectionsKt.removeAll",
          "kotlin/collections/MapsKt.putAll");

  private static final List<String> MUTABLE_TYPES =
      List.of(
          "java/util/Collection",
          "java/util/Map",
          "java/util/Dictionary",
          "java/util/Iterator",
          "java/util/BitSet",
          "java/util/Random",
          "java/util/SplittableRandom",
          "java/io/ByteArrayOutputStream",
          "java/io/StringWriter",
          "java/lang/AbstractStringBuilder",
          "java/lang/ThreadLocal",
          "java/util/DoubleSummaryStatistics",
          "java/util/IntSummaryStatistics",
          "java/util/LongSummaryStatistics",
          "java/util/StringJoiner",
          "java/util/zip/Checksum",
          "com/fasterxml/jackson/databind/node/ContainerNode",
          "com/google/gson/JsonElement",
          "org/apache/commons/lang/mutable/Mutable",
          "org/apache/commons/lang3/mutable/Mutable",
          "java/nio/Buffer",
          "scala/collection/mutable/Growable",
          "scala/collection/mutable/Builder",
          "scala/collection/mutable/Seq",
          "scala/collection/mutable/Map",
          "org/apache/hadoop/io/DataOutputBuffer",
          WRITABLE);

  private record Mutation(Set<Origin> targets, boolean overwrites, MethodKey by) {}

  private record Reading(Set<Origin> sources) {}

  private final ClassPool pool;
  private final Map<Origin, Set<Origin>> flows = new HashMap<>();
  private final List<Mutation> mutations = new ArrayList<>();
  private final List<Reading> readings = new ArrayList<>();

  StaticState(ClassPool pool) {
    this.pool = pool;
  }

  /** Records that what came from any of {@code sources} may now also come from {@code target}. */
  void flow(Set<Origin> sources, Origin target) {
    for (Origin source : sources) {
      if (!source.equals(target)) {
        flows.computeIfAbsent(source, s -> new HashSet<>()).add(target);
      }
    }
  }

  /** Records a store into an array or a field of the object. */
  void store(Set<Origin> targets, MethodKey by) {
    if (!targets.isEmpty()) {
      boolean overwrites = OVERWRITING_METHOD.matcher(by.name()).matches();
      mutations.add(new Mutation(targets, overwrites, by));
    }
  }

  /** Records a read of a field of the object. */
  void load(Set<Origin> sources, MethodKey by) {
    if (!sources.isEmpty() && !VALUE_METHOD.matcher(by.name()).matches()) {
      readings.add(new Reading(sources));
    }
  }

  /** Records a call on, or with, objects whose classes are not read. */
  void libraryCall(MethodKey callee, boolean isStatic, List<FlowValue> arguments, MethodKey by) {
    if (arguments.isEmpty()) {
      return;
    }
    handToLambdas(arguments);
    String name = callee.name();
    if (!EMITTING_CALLS.contains(name)) {
      // Who is given an object may look at it: v.equals(last) reads last.
      for (FlowValue argument : arguments.subList(isStatic ? 0 : 1, arguments.size())) {
        load(argument.origins(), by);
      }
    }
    if (isStatic) {
      if (MUTATING_HELPERS.contains(callee.owner() + "." + name)) {
        store(arguments.get(0).origins(), by);
      } else if (callee.owner().equals("java/lang/System") && name.equals("arraycopy")) {
        store(arguments.get(2).origins(), by);
      }
      return;
    }
    Set<Origin> receiver = arguments.get(0).origins();
    if (receiver.isEmpty() || !isMutableType(callee.owner())) {
      return;
    }
    boolean serializes = name.equals("write") && pool.isSubtype(callee.owner(), WRITABLE);
    if (MUTATING_CALL.matcher(name).matches() && !serializes) {
      mutations.add(new Mutation(receiver, OVERWRITING_METHOD.matcher(name).matches(), by));
    } else if (!callee.descriptor().endsWith(")V")) {
      load(receiver, by);
    }
  }

  /** Library code calls the lambdas it is given with parts of its receiver and other arguments. */
  private void handToLambdas(List<FlowValue> arguments) {
    for (FlowValue argument : arguments) {
      for (Origin origin : argument.origins()) {
        if (origin instanceof Origin.Lambda lambda) {
          for (FlowValue other : arguments) {
            lambda.freeParameters().forEach(parameter -> flow(other.origins(), parameter));
          }
        }
      }
    }
  }

  private boolean isMutableType(String owner) {
    return owner.startsWith("java/util/concurrent/atomic/")
        || owner.startsWith("com/google/common/collect/")
        || owner.equals("com/google/common/hash/BloomFilter")
        || MUTABLE_TYPES.stream().anyMatch(type -> pool.isSubtype(owner, type));
  }

  /** The first static field found to carry state from chunk to chunk, described for people. */
  Optional<String> firstMutable() {
    for (Origin origin : staticFields()) {
      Origin.StaticField field = (Origin.StaticField) origin;
      Set<Origin> reached = reachedFrom(field);
      boolean reused = isReusedValue(field);
      boolean readBack =
          readings.stream().anyMatch(r -> r.sources().stream().anyMatch(reached::contains));
      for (Mutation mutation : mutations) {
        boolean carriesOver = !(reused && mutation.overwrites()) || readBack;
        if (carriesOver && mutation.targets().stream().anyMatch(reached::contains)) {
          return Optional.of(
              mutation.by().display()
                  + " changes the content of static field "
                  + MethodKey.displayClass(field.owner())
                  + "."
                  + field.name());
        }
      }
    }
    return Optional.empty();
  }

  /** Whether an object that comes from {@code origin} is changed anywhere. */
  boolean isChanged(Origin origin) {
    Set<Origin> reached = reachedFrom(origin);
    return mutations.stream().anyMatch(m -> m.targets().stream().anyMatch(reached::contains));
  }

  /** Whether one of the methods changes an object that comes from {@code origin}. */
  boolean isChangedBy(Origin origin, Set<MethodKey> methods) {
    Set<Origin> reached = reachedFrom(origin);
    return mutations.stream()
        .filter(m -> methods.contains(m.by()))
        .anyMatch(m -> m.targets().stream().anyMatch(reached::contains));
  }

  private List<Origin> staticFields() {
    Set<Origin> all = new HashSet<>(flows.keySet());
    mutations.forEach(m -> all.addAll(m.targets()));
    return all.stream()
        .filter(Origin.StaticField.class::isInstance)
        .sorted((a, b) -> a.toString().compareTo(b.toString()))
        .toList();
  }

  /** All that a value of that origin may come to. */
  Set<Origin> reachedFrom(Origin start) {
    Set<Origin> reached = new HashSet<>(Set.of(start));
    Deque<Origin> open = new ArrayDeque<>(reached);
    while (!open.isEmpty()) {
      for (Origin next : flows.getOrDefault(open.remove(), Set.of())) {
        if (reached.add(next)) {
          open.add(next);
        }
      }
    }
    return reached;
  }

  private boolean isReusedValue(Origin.StaticField field) {
    Type type = Type.getType(field.descriptor());
    if (type.getSort() != Type.OBJECT) {
      return false;
    }
    String name = type.getInternalName();
    return pool.isSubtype(name, WRITABLE)
        && !pool.isSubtype(name, "java/util/Map")
        && !pool.isSubtype(name, "java/util/Collection");
  }
}
