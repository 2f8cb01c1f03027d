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
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds what a mapper keeps from one record for the next: a chunk is mapped by a fresh mapper,
 * which would not have it.
 *
 * <p>A field is kept if the code that runs for a record changes it, or what it holds, and may use
 * it before it has replaced it. So a {@code Text} that is set before it is written keeps nothing,
 * and one that is set only at some records does. This is the analysis of upward exposed uses (Aho,
 * Lam, Sethi and Ullman, "Compilers: Principles, Techniques, and Tools", section 9.2), over the
 * calls of a mapper, with one variable for a field of all objects that the mapper may hold.
 *
 * <p>What is only added up and looked at in {@code cleanup} is not kept for a record.
 */
final class MapperState {

  /**
   * What may be kept.
   *
   * @param isContent whether it is what the field's object holds, and not the field itself
   */
  private record Variable(String owner, String name, boolean isContent) {
    String display() {
      return MethodKey.displayClass(owner) + "." + name;
    }
  }

  /** What the framework calls, or what says nothing of a record. */
  private static final Set<String> LIFE =
      Set.of("setup", "cleanup", "configure", "close", "run", "setConf", "getConf");

  /** A Combiner goes over what mappers have given out. */
  private static final List<String> REDUCERS =
      List.of("org/apache/hadoop/mapreduce/Reducer", "org/apache/hadoop/mapred/Reducer");

  private final ClassPool pool;
  private final StaticState values;
  private final Map<MethodKey, MethodFlow> flows = new HashMap<>();
  private final Map<MethodKey, Set<MethodKey>> targets = new HashMap<>();
  private final Set<MethodKey> callbacks = new LinkedHashSet<>();
  private final Set<String> madeUnseen = new HashSet<>();

  MapperState(ClassPool pool, StaticState values) {
    this.pool = pool;
    this.values = values;
  }

  void add(MethodFlow flow) {
    flows.put(flow.method(), flow);
  }

  /** Records that a call, as its site names it, may run a method. */
  void bind(MethodKey site, MethodKey target) {
    targets.computeIfAbsent(site, s -> new LinkedHashSet<>()).add(target);
  }

  /** Records that library code may call a method at any time. */
  void callback(MethodKey method) {
    boolean isReducer = REDUCERS.stream().anyMatch(type -> pool.isSubtype(method.owner(), type));
    if (!isReducer && !LIFE.contains(method.name())) {
      callbacks.add(method);
    }
  }

  /** Records that there may be any number of objects of a class. */
  void madeUnseen(String type) {
    madeUnseen.add(type);
  }

  Collection<MethodFlow> flows() {
    return flows.values();
  }

  /**
   * The first field, in the order of names, that is kept from one call of the methods to the next.
   *
   * @param entries methods of one object that is called again and again
   * @param ofMapper whether they are those of a mapper, which may gather what it gives out at the
   *     end
   */
  Optional<String> firstKept(Set<MethodKey> entries, boolean ofMapper) {
    if (entries.isEmpty()) {
      return Optional.empty();
    }
    Set<MethodKey> called = new LinkedHashSet<>(entries);
    if (ofMapper) {
      called.addAll(callbacks);
    }
    Set<MethodKey> reached = reachedFrom(called);
    // What is only gathered is given out at the end; a value that is not what an object holds
    // decides.
    boolean onlyValues = ofMapper && reached.stream().noneMatch(this::emits);
    Set<Origin> held = held(entries);
    Set<Variable> changed = changed(reached, held);
    if (onlyValues) {
      changed.removeIf(Variable::isContent);
    }
    if (changed.isEmpty()) {
      return Optional.empty();
    }
    Set<String> single = single(reached);
    Map<MethodKey, Set<Variable>> replaced = replaced(reached, held, single);
    Map<MethodKey, Set<Variable>> exposed = exposed(reached, held, single, replaced);
    return called.stream()
        .flatMap(entry -> exposed.getOrDefault(entry, Set.of()).stream())
        .filter(changed::contains)
        .map(Variable::display)
        .min(Comparator.naturalOrder());
  }

  /** The objects that have the entries, and all that may come from them. */
  private Set<Origin> held(Set<MethodKey> entries) {
    Set<Origin> held = new HashSet<>();
    for (MethodFlow flow : flows.values()) {
      String owner = flow.method().owner();
      boolean isOfEntry =
          entries.stream()
              .anyMatch(
                  entry ->
                      pool.isSubtype(owner, entry.owner()) || pool.isSubtype(entry.owner(), owner));
      if (isOfEntry) {
        held.addAll(values.reachedFrom(new Origin.Parameter(flow.method(), 0)));
      }
    }
    return held;
  }

  /** The classes of which there is one object for a mapper, itself or one that it makes once. */
  private Set<String> single(Set<MethodKey> reached) {
    Map<String, Integer> made = new HashMap<>();
    for (MethodFlow flow : flows.values()) {
      for (List<MethodFlow.Event> events : flow.events()) {
        for (MethodFlow.Event event : events) {
          if (event instanceof MethodFlow.Makes makes) {
            int times = makes.isRepeated() || reached.contains(flow.method()) ? 2 : 1;
            pool.supertypes(makes.type()).forEach(type -> made.merge(type, times, Integer::sum));
          }
        }
      }
    }
    madeUnseen.forEach(
        name -> pool.supertypes(name).forEach(type -> made.merge(type, 1, Integer::sum)));
    Set<String> single = new HashSet<>();
    made.forEach(
        (type, times) -> {
          if (times == 1) {
            single.add(type);
          }
        });
    return single;
  }

  private boolean emits(MethodKey method) {
    return flows.get(method).events().stream()
        .flatMap(List::stream)
        .anyMatch(MethodFlow.Emits.class::isInstance);
  }

  private Set<MethodKey> reachedFrom(Set<MethodKey> entries) {
    Set<MethodKey> reached = new LinkedHashSet<>();
    Deque<MethodKey> open = new ArrayDeque<>(entries);
    while (!open.isEmpty()) {
      MethodKey method = open.remove();
      MethodFlow flow = flows.get(method);
      if (flow == null || !reached.add(method)) {
        continue;
      }
      for (List<MethodFlow.Event> events : flow.events()) {
        for (MethodFlow.Event event : events) {
          if (event instanceof MethodFlow.Calls call && !flow.isOnce(call)) {
            open.addAll(targets.getOrDefault(call.site(), Set.of()));
          }
        }
      }
    }
    return reached;
  }

  private Set<Variable> changed(Set<MethodKey> reached, Set<Origin> held) {
    Set<Variable> changed = new HashSet<>();
    Set<Origin.InstanceField> holders = new HashSet<>();
    for (MethodKey method : reached) {
      for (List<MethodFlow.Event> events : flows.get(method).events()) {
        for (MethodFlow.Event event : events) {
          if (event instanceof MethodFlow.Write write && isHeld(write.holder(), held)) {
            changed.add(variable(write.field(), false));
          } else if (event instanceof MethodFlow.Content content
              && isHeld(content.origins(), held)) {
            content.origins().stream()
                .filter(Origin.InstanceField.class::isInstance)
                .forEach(origin -> holders.add((Origin.InstanceField) origin));
          }
        }
      }
    }
    for (Origin.InstanceField holder : holders) {
      if (values.isChangedBy(holder, reached)) {
        changed.add(variable(holder, true));
      }
    }
    return changed;
  }

  private static boolean isHeld(Set<Origin> origins, Set<Origin> held) {
    return origins.stream().anyMatch(held::contains);
  }

  private Variable variable(Origin.InstanceField field, boolean isContent) {
    String owner =
        pool.fieldOwner(field.owner(), field.name()).map(node -> node.name).orElse(field.owner());
    return new Variable(owner, field.name(), isContent);
  }

  /** What each method surely has replaced when it returns. */
  private Map<MethodKey, Set<Variable>> replaced(
      Set<MethodKey> reached, Set<Origin> held, Set<String> single) {
    // What is called has most often been found after who calls it.
    List<MethodKey> backwards = new ArrayList<>(reached);
    Collections.reverse(backwards);
    Map<MethodKey, Set<Variable>> replaced = new HashMap<>();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (MethodKey method : backwards) {
        Set<Variable> now =
            new Walk(flows.get(method), held, single, replaced, Map.of()).atReturn();
        Set<Variable> before = replaced.put(method, now);
        grows |= before == null ? !now.isEmpty() : !before.equals(now);
      }
    }
    return replaced;
  }

  /** What each method may use before it is replaced. */
  private Map<MethodKey, Set<Variable>> exposed(
      Set<MethodKey> reached,
      Set<Origin> held,
      Set<String> single,
      Map<MethodKey, Set<Variable>> replaced) {
    List<MethodKey> backwards = new ArrayList<>(reached);
    Collections.reverse(backwards);
    Map<MethodKey, Set<Variable>> exposed = new HashMap<>();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (MethodKey method : backwards) {
        Set<Variable> now = new Walk(flows.get(method), held, single, replaced, exposed).exposed();
        grows |= !now.equals(exposed.put(method, now));
      }
    }
    return exposed;
  }

  /** One pass through a method, on what is known of the methods it calls. */
  private final class Walk {
    private final MethodFlow flow;
    private final Set<Origin> held;
    private final Set<String> single;
    private final Map<MethodKey, Set<Variable>> replacedBy;
    private final Map<MethodKey, Set<Variable>> exposedBy;
    private final List<Set<Variable>> before = new ArrayList<>();
    private final Set<Variable> exposed = new HashSet<>();
    private Set<Variable> atReturn;

    Walk(
        MethodFlow flow,
        Set<Origin> held,
        Set<String> single,
        Map<MethodKey, Set<Variable>> replacedBy,
        Map<MethodKey, Set<Variable>> exposedBy) {
      this.flow = flow;
      this.held = held;
      this.single = single;
      this.replacedBy = replacedBy;
      this.exposedBy = exposedBy;
      int instructions = flow.events().size();
      for (int i = 0; i < instructions; i++) {
        before.add(null);
      }
      if (instructions > 0) {
        walk();
      }
    }

    Set<Variable> exposed() {
      return exposed;
    }

    Set<Variable> atReturn() {
      return atReturn == null ? Set.of() : atReturn;
    }

    private void walk() {
      before.set(0, new HashSet<>());
      BitSet open = new BitSet();
      open.set(0);
      while (!open.isEmpty()) {
        int at = open.nextSetBit(0);
        open.clear(at);
        Set<Variable> fresh = new HashSet<>(before.get(at));
        BitSet handlers = flow.handlers(at);
        for (int next = handlers.nextSetBit(0); next >= 0; next = handlers.nextSetBit(next + 1)) {
          if (meet(next, fresh)) {
            open.set(next);
          }
        }
        if (!flow.fetchesRecords()) {
          flow.events().get(at).forEach(event -> replace(event, fresh));
        }
        BitSet successors = flow.successors(at);
        for (int next = successors.nextSetBit(0);
            next >= 0;
            next = successors.nextSetBit(next + 1)) {
          if (meet(next, fresh)) {
            open.set(next);
          }
        }
      }
      for (int at = 0; at < before.size(); at++) {
        if (before.get(at) != null) {
          finish(at);
        }
      }
    }

    private void finish(int at) {
      Set<Variable> fresh = new HashSet<>(before.get(at));
      for (MethodFlow.Event event : flow.events().get(at)) {
        expose(event, fresh);
        if (!flow.fetchesRecords()) {
          replace(event, fresh);
        }
      }
      if (flow.returns(at)) {
        if (atReturn == null) {
          atReturn = fresh;
        } else {
          atReturn.retainAll(fresh);
        }
      }
    }

    private boolean meet(int next, Set<Variable> fresh) {
      Set<Variable> known = before.get(next);
      if (known == null) {
        before.set(next, new HashSet<>(fresh));
        return true;
      }
      return known.retainAll(fresh);
    }

    /** What is surely replaced: of one object, and not of one of several. */
    private void replace(MethodFlow.Event event, Set<Variable> fresh) {
      if (event instanceof MethodFlow.Write write
          && write.replaces()
          && isHeld(write.holder(), held)) {
        Variable value = variable(write.field(), false);
        if (single.contains(value.owner())) {
          fresh.add(value);
          fresh.add(variable(write.field(), true));
        }
      } else if (event instanceof MethodFlow.Content content
          && content.access() == MethodFlow.Access.OVERWRITES
          && isHeld(content.origins(), held)) {
        List<Origin.InstanceField> fields = fields(content.origins());
        if (fields.size() == 1 && single.contains(variable(fields.get(0), true).owner())) {
          fresh.add(variable(fields.get(0), true));
        }
      } else if (event instanceof MethodFlow.Calls call && call.isSure() && !flow.isOnce(call)) {
        Set<Variable> all = null;
        for (MethodKey target : targets.getOrDefault(call.site(), Set.of())) {
          Set<Variable> by = replacedBy.getOrDefault(target, Set.of());
          if (all == null) {
            all = new HashSet<>(by);
          } else {
            all.retainAll(by);
          }
        }
        if (all != null) {
          fresh.addAll(all);
        }
      }
    }

    private void expose(MethodFlow.Event event, Set<Variable> fresh) {
      Set<Variable> used = new HashSet<>();
      if (event instanceof MethodFlow.Read read && isHeld(read.holder(), held)) {
        used.add(variable(read.field(), false));
      } else if (event instanceof MethodFlow.Content content
          && content.access() == MethodFlow.Access.USES
          && isHeld(content.origins(), held)) {
        fields(content.origins()).forEach(field -> used.add(variable(field, true)));
      } else if (event instanceof MethodFlow.Calls call && !flow.isOnce(call)) {
        for (MethodKey target : targets.getOrDefault(call.site(), Set.of())) {
          used.addAll(exposedBy.getOrDefault(target, Set.of()));
        }
      }
      used.removeAll(fresh);
      exposed.addAll(used);
    }

    private List<Origin.InstanceField> fields(Set<Origin> origins) {
      return origins.stream()
          .filter(Origin.InstanceField.class::isInstance)
          .map(Origin.InstanceField.class::cast)
          .toList();
    }
  }
}
