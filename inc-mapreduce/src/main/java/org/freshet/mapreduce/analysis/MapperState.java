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

  private final ClassPool pool;
  private final StaticState values;
  private final Map<MethodKey, MethodFlow> flows = new HashMap<>();
  private final Map<MethodKey, Set<MethodKey>> targets = new HashMap<>();

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

  Collection<MethodFlow> flows() {
    return flows.values();
  }

  /**
   * The first field, in the order of names, that is kept from one call of the methods to the next.
   *
   * @param entries methods of one object that is called again and again
   * @param onlyIfEmitting whether it does not matter where none of the calls gives a record out
   */
  Optional<String> firstKept(Set<MethodKey> entries, boolean onlyIfEmitting) {
    Set<MethodKey> reached = reachedFrom(entries);
    if (onlyIfEmitting && reached.stream().noneMatch(this::emits)) {
      return Optional.empty();
    }
    Set<Origin> held = new HashSet<>();
    for (MethodKey entry : entries) {
      held.addAll(values.reachedFrom(new Origin.Parameter(entry, 0)));
    }
    Set<Variable> changed = changed(reached, held);
    if (changed.isEmpty()) {
      return Optional.empty();
    }
    Map<MethodKey, Set<Variable>> replaced = replaced(reached, held);
    Map<MethodKey, Set<Variable>> exposed = exposed(reached, held, replaced);
    return entries.stream()
        .flatMap(entry -> exposed.getOrDefault(entry, Set.of()).stream())
        .filter(changed::contains)
        .map(Variable::display)
        .min(Comparator.naturalOrder());
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
          if (event instanceof MethodFlow.Calls call) {
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
  private Map<MethodKey, Set<Variable>> replaced(Set<MethodKey> reached, Set<Origin> held) {
    Map<MethodKey, Set<Variable>> replaced = new HashMap<>();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (MethodKey method : reached) {
        Set<Variable> now = new Walk(flows.get(method), held, replaced, Map.of()).atReturn();
        Set<Variable> before = replaced.put(method, now);
        grows |= before == null ? !now.isEmpty() : !before.equals(now);
      }
    }
    return replaced;
  }

  /** What each method may use before it is replaced. */
  private Map<MethodKey, Set<Variable>> exposed(
      Set<MethodKey> reached, Set<Origin> held, Map<MethodKey, Set<Variable>> replaced) {
    Map<MethodKey, Set<Variable>> exposed = new HashMap<>();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (MethodKey method : reached) {
        Set<Variable> now = new Walk(flows.get(method), held, replaced, exposed).exposed();
        grows |= !now.equals(exposed.put(method, now));
      }
    }
    return exposed;
  }

  /** One pass through a method, on what is known of the methods it calls. */
  private final class Walk {
    private final MethodFlow flow;
    private final Set<Origin> held;
    private final Map<MethodKey, Set<Variable>> replacedBy;
    private final Map<MethodKey, Set<Variable>> exposedBy;
    private final List<Set<Variable>> before = new ArrayList<>();
    private final Set<Variable> exposed = new HashSet<>();
    private Set<Variable> atReturn;

    Walk(
        MethodFlow flow,
        Set<Origin> held,
        Map<MethodKey, Set<Variable>> replacedBy,
        Map<MethodKey, Set<Variable>> exposedBy) {
      this.flow = flow;
      this.held = held;
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

    private void replace(MethodFlow.Event event, Set<Variable> fresh) {
      if (event instanceof MethodFlow.Write write
          && write.replaces()
          && isHeld(write.holder(), held)) {
        fresh.add(variable(write.field(), false));
        fresh.add(variable(write.field(), true));
      } else if (event instanceof MethodFlow.Content content
          && content.access() == MethodFlow.Access.OVERWRITES) {
        fields(content.origins()).forEach(field -> fresh.add(variable(field, true)));
      } else if (event instanceof MethodFlow.Calls call) {
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
      } else if (event instanceof MethodFlow.Calls call) {
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
