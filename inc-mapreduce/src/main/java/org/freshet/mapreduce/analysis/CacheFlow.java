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
import org.freshet.mapreduce.analysis.CacheTerm.Derived;
import org.freshet.mapreduce.analysis.CacheTerm.Held;
import org.freshet.mapreduce.analysis.CacheTerm.Is;
import org.freshet.mapreduce.analysis.CodeTraits.Hazard;
import org.freshet.mapreduce.analysis.FileAccess.Need;
import org.objectweb.asm.tree.FieldInsnNode;

/**
 * Proves, once all code is visited, that the files it opens are cache files.
 *
 * <p>A forward must-analysis over the whole program, flow-insensitive between methods: the value of
 * a parameter, field, result or new object is the {@linkplain CacheValue#meet meet} of all that
 * flows into it, the greatest solution of these equations (Kildall, POPL 1973). What flows in from
 * code that is not read is {@link CacheValue#OTHER}. Where the program might change what names and
 * file systems stand for (its own configuration, a list of names, code run by reflection), nothing
 * counts as proven.
 *
 * <p>Not thread-safe; one instance serves one analysis.
 */
final class CacheFlow {

  private record Open(List<Need> needs, Hazard otherwise) {}

  private record HandOut(CacheTerm term, Hazard otherwise) {}

  private final CacheFileNames names;
  private final Map<CacheTerm, Set<CacheTerm>> inflows = new HashMap<>();
  private final Set<CacheTerm> unknown = new HashSet<>();
  private final Set<String> filledUnseen = new HashSet<>();
  private final List<Open> opens = new ArrayList<>();
  private final List<HandOut> handOuts = new ArrayList<>();
  private final Map<CacheTerm, CacheValue> values = new HashMap<>();
  private boolean distrusted;

  CacheFlow(CacheFileNames names) {
    this.names = names;
  }

  /** The term for an instance field; the class that declares it stands for all its instances. */
  static CacheTerm field(ClassPool pool, FieldInsnNode access) {
    String owner = pool.fieldOwner(access.owner, access.name).map(n -> n.name).orElse(access.owner);
    return new Held(new Origin.InstanceField(owner, access.name));
  }

  /** Records that a value, or an unknown one if null, may be what {@code target} stands for. */
  void flow(CacheTerm value, CacheTerm target) {
    if (value == null) {
      unknown.add(target);
    } else {
      inflows.computeIfAbsent(target, t -> new HashSet<>()).add(value);
    }
  }

  /** Records that the fields of a class may be set by code that is handed the class. */
  void fillsUnseen(String owner) {
    filledUnseen.add(owner);
  }

  /** Nothing is proven any more: the program may change what a name stands for. */
  void distrust() {
    distrusted = true;
  }

  /** Records a call that is harmless if the needs are met, and else the hazard given. */
  void open(List<Need> needs, Hazard otherwise) {
    if (!needs.isEmpty()) {
      opens.add(new Open(needs, otherwise));
    }
  }

  /** Records that library code or an array gets hold of a value. */
  void handOut(CacheTerm term, Hazard otherwise) {
    handOuts.add(new HandOut(term, otherwise));
  }

  /** The first hazard that is not refuted, in the order of the visit. */
  Optional<Hazard> firstUnproven() {
    if (opens.isEmpty() && handOuts.isEmpty()) {
      return Optional.empty();
    }
    solve();
    List<Hazard> leaks = new ArrayList<>();
    for (HandOut handOut : handOuts) {
      switch (value(handOut.term())) {
        case URIS, LOCAL_PATHS -> distrusted = true;
        case SHARED_FILE_SYSTEM, LOCAL_FILE_SYSTEM, STATUS -> leaks.add(handOut.otherwise());
        default -> {}
      }
    }
    return opens.stream()
        .filter(open -> distrusted || !open.needs().stream().allMatch(this::isMet))
        .map(Open::otherwise)
        .findFirst()
        .or(() -> leaks.stream().findFirst());
  }

  private boolean isMet(Need need) {
    CacheValue through = need.through() == null ? CacheValue.OTHER : value(need.through());
    return need.use().allows(value(need.term()), through, names);
  }

  private void solve() {
    Map<CacheTerm, Set<CacheTerm>> dependents = new HashMap<>();
    inflows.forEach(
        (target, terms) -> {
          for (CacheTerm term : terms) {
            dependents.computeIfAbsent(base(term), b -> new HashSet<>()).add(target);
          }
        });
    Deque<CacheTerm> open = new ArrayDeque<>(inflows.keySet());
    while (!open.isEmpty()) {
      CacheTerm target = open.remove();
      CacheValue met = CacheValue.NONE_YET;
      for (CacheTerm term : inflows.get(target)) {
        met = met.meet(value(term));
      }
      if (met != value(target)) {
        values.put(target, met);
        open.addAll(dependents.getOrDefault(target, Set.of()));
      }
    }
  }

  private static CacheTerm base(CacheTerm term) {
    CacheTerm at = term;
    while (at instanceof Derived derived) {
      at = derived.from();
    }
    return at;
  }

  private CacheValue value(CacheTerm term) {
    if (term instanceof Is known) {
      return known.value();
    }
    if (term instanceof Derived derived) {
      return derived.step().apply(value(derived.from()), names);
    }
    boolean unseen =
        unknown.contains(term)
            || !inflows.containsKey(term)
            || (term instanceof Held held
                && held.by() instanceof Origin.InstanceField field
                && filledUnseen.contains(field.owner()));
    return unseen ? CacheValue.OTHER : values.getOrDefault(term, CacheValue.NONE_YET);
  }
}
