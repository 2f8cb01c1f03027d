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
import java.util.BitSet;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.freshet.mapreduce.analysis.CodeTraits.Hazard;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;
import org.freshet.mapreduce.analysis.FileAccess.Need;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;

/**
 * Visits all code that the framework can reach from a job's classes and collects {@link Findings}.
 *
 * <p>Rapid type analysis (Bacon and Sweeney, OOPSLA 1996): a virtual call reaches the method its
 * static type selects and the overrides in classes that reachable code instantiates. A class that
 * is instantiated also answers to whoever knows it by a library type, so each of its methods that
 * overrides one of a class not read counts as called. A static initializer is reached by any static
 * use of its class. The visit goes breadth first, so the reason reported is the one nearest to the
 * job's own classes.
 *
 * <p>Not thread-safe; one instance serves one analysis.
 */
final class Reachability {

  /**
   * Bounds the work on a job that drags in a whole framework; such a job would be refused anyway,
   * for one of the many things a framework does.
   */
  private static final int MAX_METHODS = 20_000;

  /** Types whose methods no task ever calls: they belong to the program that submits the job. */
  private static final Set<String> CLIENT_TYPES = Set.of("org/apache/hadoop/util/Tool");

  /** What a format does for a task. */
  private static final Set<String> MAKERS =
      Set.of(
          "createRecordReader",
          "getRecordReader",
          "getRecordWriter",
          "generateFileNameForKeyValue",
          "generateActualKey",
          "generateActualValue",
          "generateLeafFileName",
          "getBaseRecordWriter",
          "getInputFileBasedOutputFileName");

  /** A call with the values it is made with, the receiver first. */
  record Call(
      int opcode, MethodKey callee, List<FlowValue> arguments, MethodKey caller, Phase phase) {
    boolean isStatic() {
      return opcode == Opcodes.INVOKESTATIC;
    }
  }

  private record Visit(ClassPool.Declared method, Phase phase) {}

  private record Signature(String name, String descriptor) {}

  private final ClassPool pool;
  private final CodeScope scope;
  private final Findings findings;
  private final boolean keyIsPosition;
  private final FileAccess access;
  private final CacheFlow cacheFlow;
  private final StaticState statics;
  private final MapperState state;
  private final boolean mapSide;
  private final SubmitterStatics submitterStatics;
  private final HadoopCalls hadoopCalls;

  private final Set<String> formats = new HashSet<>();
  private final Deque<Visit> open = new ArrayDeque<>();
  private final Map<MethodKey, EnumSet<Phase>> visited = new HashMap<>();
  private final Set<String> initialized = new HashSet<>();
  private final Set<String> instantiated = new LinkedHashSet<>();

  /** Receivers' static types and phases of the virtual calls seen, by signature. */
  private final Map<Signature, Map<String, EnumSet<Phase>>> virtualCalls = new HashMap<>();

  Reachability(
      ClassPool pool,
      CodeScope scope,
      Findings findings,
      boolean keyIsPosition,
      CacheFileNames cacheFiles,
      Predicate<String> inNoLineage) {
    this.pool = pool;
    this.scope = scope;
    this.findings = findings;
    this.keyIsPosition = keyIsPosition;
    this.access = new FileAccess(pool, cacheFiles);
    this.cacheFlow = new CacheFlow(cacheFiles);
    this.statics = new StaticState(pool);
    this.state = new MapperState(pool, statics);
    this.mapSide = findings.side() == Findings.Side.MAP;
    this.submitterStatics = new SubmitterStatics(pool, scope);
    this.hadoopCalls = new HadoopCalls(pool, findings, mapSide, keyIsPosition, inNoLineage);
  }

  /** Adds a class that the framework makes an instance of. */
  void addRoot(String name) {
    formats.add(name);
    instantiateByName(name, new MethodKey("The job", "", ""));
  }

  /**
   * Visits everything reachable from the roots.
   *
   * @param configured classes that the configuration names, of which code that uses reflection may
   *     make instances
   */
  void run(Set<String> configured) {
    visitAll();
    if (findings.runsConfiguredCode()) {
      MethodKey by = new MethodKey("The configuration", "", "");
      configured.stream()
          .filter(name -> scope.isRead(name) && pool.find(name).isPresent())
          .forEach(name -> instantiateByName(name, by));
      visitAll();
    }
    if (visited.size() > MAX_METHODS) {
      findings.hazard(Kind.UNREADABLE_CODE, "more than " + MAX_METHODS + " methods are reachable");
      return;
    }
    if (findings.side() == Findings.Side.FORMAT) {
      return;
    }
    if (statics.isChanged(new Origin.CacheFileArray())) {
      cacheFlow.distrust();
    }
    cacheFlow.firstUnproven().ifPresent(h -> findings.hazard(h.kind(), h.reason()));
    judgeState();
    statics.firstMutable().ifPresent(r -> findings.hazard(Kind.MUTABLE_STATIC_STATE, r));
    submitterStatics
        .firstSetOutside(visited::containsKey)
        .ifPresent(r -> findings.hazard(Kind.READS_OUTSIDE_DATA, r));
  }

  private void judgeState() {
    if (findings.hazard().isPresent()) {
      return;
    }
    Set<MethodKey> maps = new LinkedHashSet<>();
    Set<MethodKey> partitions = new LinkedHashSet<>();
    for (MethodFlow flow : state.flows()) {
      MethodKey method = flow.method();
      if (FlowInterpreter.isMapFunction(method.name(), method.descriptor())
          || (flow.fetchesRecords()
              && !method.owner().equals("org/apache/hadoop/mapreduce/Mapper"))) {
        maps.add(method);
      } else if (method.name().equals("getPartition") && method.descriptor().endsWith("I)I")) {
        partitions.add(method);
      }
    }
    state
        .firstKept(maps, true)
        .ifPresent(
            field ->
                findings.split("field " + field + " keeps something from one record for the next"));
    state
        .firstKept(partitions, false)
        .ifPresent(
            field ->
                findings.hazard(
                    Kind.MUTABLE_STATIC_STATE,
                    "field "
                        + field
                        + " of the partitioner keeps something from one record for the next"));
  }

  private void visitAll() {
    while (!open.isEmpty() && visited.size() <= MAX_METHODS) {
      visit(open.remove());
    }
  }

  private void visit(Visit visit) {
    MethodKey key = visit.method().key();
    if ((visit.method().method().access & Opcodes.ACC_NATIVE) != 0) {
      findings.hazard(Kind.UNREADABLE_CODE, key.display() + " is a native method");
      return;
    }
    try {
      new MethodScan(this, statics, cacheFlow, key, visit.phase())
          .run(
              visit.method(),
              new FlowInterpreter(pool, scope, access, key, keyIsPosition, findings));
    } catch (AnalyzerException e) {
      findings.hazard(
          Kind.UNREADABLE_CODE, key.display() + " cannot be followed: " + e.getMessage());
    }
  }

  // ---- what the scan of a method reports

  Origin.InstanceField instanceField(FieldInsnNode access) {
    return pool.instanceField(access);
  }

  void flows(
      ClassPool.Declared method,
      Frame<FlowValue>[] frames,
      BitSet[] successors,
      BitSet[] handlers,
      Phase phase) {
    if (!mapSide || phase != Phase.RECORDS) {
      return;
    }
    MethodFlow flow = new MethodFlow(pool, scope, method, frames, successors, handlers);
    state.add(flow);
    if (flow.fetchesRecords()
        && new LoopLocals(method.method().instructions, frames, successors).keepAny()) {
      findings.split(method.key().display() + " keeps something from one record for the next");
    }
  }

  /** A class literal or a role in the job: whoever gets it may call its no-argument constructor. */
  void instantiateByName(String name, MethodKey by) {
    if (!scope.isRead(name)) {
      return;
    }
    state.madeUnseen(name);
    instantiate(name, by);
    for (ClassNode node : pool.find(name).stream().toList()) {
      for (MethodNode method : node.methods) {
        if (method.name.equals("<init>") && method.desc.equals("()V")) {
          reach(new ClassPool.Declared(node, method), Phase.RECORDS);
        }
      }
    }
  }

  void instantiate(String name, MethodKey by) {
    if (!scope.isRead(name)) {
      // Its constructor call follows and is judged as a call.
      return;
    }
    if (!instantiated.add(name) || !initialize(name, by)) {
      return;
    }
    if (FileAccess.KEEPERS_OF_NAMES.stream().anyMatch(type -> pool.isSubtype(name, type))) {
      // A context or configuration of the job's own may answer with any names.
      cacheFlow.distrust();
    }
    for (String type : pool.supertypes(name)) {
      if (scope.isCalledFromOutside(type) && !CLIENT_TYPES.contains(type)) {
        reachCallbacks(name, type);
      }
    }
    virtualCalls.forEach(
        (signature, receivers) ->
            receivers.forEach(
                (receiver, phases) -> {
                  if (pool.isSubtype(name, receiver)) {
                    phases.forEach(phase -> dispatch(name, receiver, signature, phase));
                  }
                }));
  }

  private void reachCallbacks(String name, String outsideType) {
    Optional<ClassNode> outside = pool.find(outsideType);
    if (outside.isEmpty()) {
      // Unknown what it declares: any method may be one that it calls.
      ClassNode own = pool.find(name).orElseThrow();
      for (MethodNode method : own.methods) {
        if ((method.access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0
            && !method.name.startsWith("<")) {
          reachFromOutside(new ClassPool.Declared(own, method));
        }
      }
      return;
    }
    for (MethodNode declared : outside.get().methods) {
      // Of a format only what it does for a task: the client lists the inputs, by whatever clock.
      boolean isOfClient =
          findings.side() == Findings.Side.FORMAT
              && formats.contains(name)
              && !MAKERS.contains(declared.name);
      if (!isOfClient
          && (declared.access & (Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE)) == 0
          && !declared.name.startsWith("<")) {
        pool.findMethod(name, declared.name, declared.desc)
            .filter(m -> scope.isRead(m.owner().name))
            .ifPresent(this::reachFromOutside);
      }
    }
  }

  private void reachFromOutside(ClassPool.Declared method) {
    state.callback(method.key());
    int count = Type.getArgumentCount(method.method().desc) + 1;
    for (int i = 0; i < count; i++) {
      cacheFlow.flow(null, new CacheTerm.Held(new Origin.Parameter(method.key(), i)));
    }
    reach(method, Phase.RECORDS);
  }

  /** Code that is handed a class may make instances and set their fields unseen. */
  void handOutClass(String name) {
    pool.supertypes(name).forEach(cacheFlow::fillsUnseen);
  }

  void writeField(FieldInsnNode access, FlowValue value) {
    if (Type.getType(access.desc).getSort() >= Type.ARRAY) {
      cacheFlow.flow(value.cache(), CacheFlow.field(pool, access));
    }
  }

  /** A value goes where it is not followed; {@code what} and {@code where} tell people. */
  void handOut(CacheTerm term, String what, String where, MethodKey by) {
    if (term != null) {
      cacheFlow.handOut(
          term,
          new Hazard(
              Kind.READS_OUTSIDE_DATA,
              by.display() + " " + what + " a file system or file status " + where));
    }
  }

  void readStatic(FieldInsnNode access, MethodKey by) {
    if (access.owner.equals("java/lang/System") && access.name.equals("in")) {
      findings.hazard(Kind.READS_OUTSIDE_DATA, by.display() + " reads System.in");
    } else if (access.owner.equals("kotlin/random/Random") && access.name.equals("Default")) {
      findings.hazard(Kind.NONDETERMINISTIC, by.display() + " uses Kotlin's Random.Default");
    }
    staticOwner(access, by)
        .filter(
            node ->
                ClassPool.field(node, access.name)
                    .filter(f -> (f.access & Opcodes.ACC_FINAL) == 0)
                    .isPresent())
        .ifPresent(
            node ->
                submitterStatics.read(
                    new Origin.StaticField(node.name, access.name, access.desc), by));
  }

  void writeStatic(FieldInsnNode access, FlowValue value, MethodKey by, Phase phase) {
    String owner = staticOwner(access, by).map(node -> node.name).orElse(access.owner);
    statics.flow(value.origins(), new Origin.StaticField(owner, access.name, access.desc));
    // Scala's module classes store their one instance from the constructor.
    boolean scalaModule = access.name.equals("MODULE$") && by.name().equals("<init>");
    if (phase == Phase.RECORDS && !scalaModule) {
      findings.hazard(
          Kind.MUTABLE_STATIC_STATE,
          by.display()
              + " assigns static field "
              + MethodKey.displayClass(owner)
              + "."
              + access.name);
    }
  }

  private Optional<ClassNode> staticOwner(FieldInsnNode access, MethodKey by) {
    if (!scope.isRead(access.owner)) {
      return Optional.empty();
    }
    Optional<ClassNode> owner =
        pool.fieldOwner(access.owner, access.name).filter(n -> scope.isRead(n.name));
    initialize(owner.map(node -> node.name).orElse(access.owner), by);
    return owner;
  }

  void call(Call call) {
    MethodKey callee = call.callee();
    if (callee.owner().startsWith("[")) {
      return;
    }
    if (!scope.isRead(callee.owner())) {
      libraryCall(callee, call);
      return;
    }
    if (CodeScope.isHadoop(callee.owner())
        && libraryEffect(callee, call.arguments(), call.caller())) {
      return;
    }
    if (pool.find(callee.owner()).isEmpty()) {
      unreadable(callee.owner(), call.caller());
      return;
    }
    Optional<ClassPool.Declared> selected =
        pool.findMethod(callee.owner(), callee.name(), callee.descriptor());
    if (call.isStatic()) {
      initialize(selected.map(m -> m.owner().name).orElse(callee.owner()), call.caller());
    }
    bindArguments(call);
    boolean virtual =
        call.opcode() == Opcodes.INVOKEVIRTUAL || call.opcode() == Opcodes.INVOKEINTERFACE;
    if (selected.isEmpty() || !scope.isRead(selected.get().owner().name)) {
      libraryCall(declaredOutside(callee, selected), call);
    } else if (!(virtual && CodeScope.isHadoop(callee.owner()))) {
      // Instances may be made unseen, by a library. Not so for Hadoop's own base classes: the job
      // names each mapper, and Mapper.run must not bring in the map function that it overrides.
      bind(callee, selected.get(), call.phase());
    }
    if (virtual) {
      dispatchVirtual(callee, call.phase());
    }
  }

  /** A method reference on a getter of the current key hides what is done with the key. */
  void referTo(MethodKey callee, MethodKey by) {
    if (keyIsPosition && callee.name().equals("getCurrentKey") && !scope.isRead(callee.owner())) {
      findings.position(by.display() + " refers to getCurrentKey()");
    }
  }

  /**
   * Joins the method of a functional interface to the body of a lambda: arguments of a call through
   * the interface come after the captured ones.
   */
  void bindLambda(MethodKey interfaceMethod, MethodKey body, int captured) {
    int count = Type.getArgumentCount(interfaceMethod.descriptor());
    for (int i = 0; i < count; i++) {
      statics.flow(
          Set.of(new Origin.Parameter(interfaceMethod, i + 1)),
          new Origin.Parameter(body, captured + i));
    }
    statics.flow(Set.of(new Origin.Result(body)), new Origin.Result(interfaceMethod));
    state.bind(interfaceMethod, body);
  }

  // ---- calls

  private MethodKey declaredOutside(MethodKey callee, Optional<ClassPool.Declared> selected) {
    if (selected.isPresent()) {
      return selected.get().key();
    }
    String owner =
        pool.supertypes(callee.owner()).stream()
            .filter(type -> !scope.isRead(type) && !type.equals("java/lang/Object"))
            .findFirst()
            .orElse("java/lang/Object");
    return new MethodKey(owner, callee.name(), callee.descriptor());
  }

  private void bindArguments(Call call) {
    for (int i = 0; i < call.arguments().size(); i++) {
      Origin parameter = new Origin.Parameter(call.callee(), i);
      FlowValue argument = call.arguments().get(i);
      statics.flow(argument.origins(), parameter);
      cacheFlow.flow(argument.cache(), new CacheTerm.Held(parameter));
    }
  }

  /** Joins the parameters and result of a call, as its site names it, to a method it reaches. */
  private void bind(MethodKey site, ClassPool.Declared target, Phase phase) {
    MethodKey key = target.key();
    int count = Type.getArgumentCount(key.descriptor()) + 1;
    for (int i = 0; i < count; i++) {
      Origin given = new Origin.Parameter(site, i);
      Origin taken = new Origin.Parameter(key, i);
      statics.flow(Set.of(given), taken);
      if (!given.equals(taken)) {
        cacheFlow.flow(new CacheTerm.Held(given), new CacheTerm.Held(taken));
      }
    }
    statics.flow(Set.of(new Origin.Result(key)), new Origin.Result(site));
    state.bind(site, key);
    reach(target, phase);
  }

  private void dispatchVirtual(MethodKey callee, Phase phase) {
    Signature signature = new Signature(callee.name(), callee.descriptor());
    boolean seen =
        !virtualCalls
            .computeIfAbsent(signature, s -> new HashMap<>())
            .computeIfAbsent(callee.owner(), o -> EnumSet.noneOf(Phase.class))
            .add(phase);
    if (seen) {
      return;
    }
    for (String name : List.copyOf(instantiated)) {
      if (pool.isSubtype(name, callee.owner())) {
        dispatch(name, callee.owner(), signature, phase);
      }
    }
  }

  private void dispatch(String receiver, String staticType, Signature signature, Phase phase) {
    pool.findMethod(receiver, signature.name(), signature.descriptor())
        .filter(m -> scope.isRead(m.owner().name))
        .ifPresent(
            m ->
                bind(
                    new MethodKey(staticType, signature.name(), signature.descriptor()), m, phase));
  }

  private void libraryCall(MethodKey callee, Call call) {
    if (callee.name().equals("<init>")
        && call.arguments().get(0).cache() instanceof CacheTerm.Made made) {
      cacheFlow.flow(access.result(callee, call.arguments()), made);
    }
    if (access.changesNames(callee)) {
      cacheFlow.distrust();
    }
    if (libraryEffect(callee, call.arguments(), call.caller())) {
      return;
    }
    if (CodeScope.isHadoop(callee.owner()) && findings.side() != Findings.Side.FORMAT) {
      hadoopCalls.check(callee, call.isStatic(), call.arguments(), call.caller());
    }
    for (CacheTerm term : access.handedOut(callee, call.isStatic(), call.arguments())) {
      handOut(term, "hands", "to " + callee.display(), call.caller());
    }
    if (call.phase() == Phase.RECORDS) {
      statics.libraryCall(callee, call.isStatic(), call.arguments(), call.caller());
    }
  }

  /** Reports what the call does beyond computing, if anything. */
  private boolean libraryEffect(MethodKey callee, List<FlowValue> arguments, MethodKey caller) {
    if (findings.side() == Findings.Side.FORMAT
        && (CodeScope.isHadoop(callee.owner()) || callee.owner().startsWith("java/io/"))) {
      return false;
    }
    Optional<List<Need>> needs =
        access.needs(callee, arguments).filter(all -> all.stream().noneMatch(Need::isHopeless));
    if (needs.isPresent()) {
      cacheFlow.open(needs.get(), new Hazard(Kind.READS_OUTSIDE_DATA, uses(caller, callee)));
      return true;
    }
    Optional<LibraryEffects.Effect> effect = effect(callee);
    if (effect.isEmpty()) {
      return false;
    }
    if (effect.get() instanceof LibraryEffects.Hazardous hazard) {
      findings.hazard(hazard.kind(), uses(caller, callee));
    } else if (!instantiatesKnownClass(callee, arguments, caller)) {
      findings.reflection(caller.display() + " uses reflection (" + callee.display() + ")");
      cacheFlow.distrust();
    }
    return true;
  }

  /** A static method may be called by the name of a subclass: it is judged by both. */
  private Optional<LibraryEffects.Effect> effect(MethodKey callee) {
    return LibraryEffects.of(callee.owner(), callee.name(), callee.descriptor())
        .or(
            () ->
                pool.findMethod(callee.owner(), callee.name(), callee.descriptor())
                    .map(method -> method.owner().name)
                    .filter(owner -> !owner.equals(callee.owner()) && !scope.isRead(owner))
                    .flatMap(
                        owner -> LibraryEffects.of(owner, callee.name(), callee.descriptor())));
  }

  private static String uses(MethodKey caller, MethodKey callee) {
    return caller.display() + " uses " + callee.display();
  }

  private boolean instantiatesKnownClass(
      MethodKey callee, List<FlowValue> arguments, MethodKey caller) {
    Object constant = arguments.isEmpty() ? null : arguments.get(0).constant();
    if (constant instanceof String name && callee.name().equals("forName")) {
      instantiateByName(name.replace('.', '/'), caller);
      return true;
    }
    // The literal itself has made the class known already.
    return constant instanceof Type && callee.name().equals("newInstance");
  }

  // ---- classes

  /** Reaches the static initializers of a class and its superclasses; false if it is unreadable. */
  private boolean initialize(String name, MethodKey by) {
    if (pool.find(name).isEmpty()) {
      unreadable(name, by);
      return false;
    }
    for (String at = name; at != null && scope.isRead(at); at = pool.superName(at)) {
      Optional<ClassNode> node = pool.find(at);
      if (node.isEmpty()) {
        unreadable(at, by);
        return false;
      }
      if (!initialized.add(at)) {
        break;
      }
      for (MethodNode method : node.get().methods) {
        if (method.name.equals("<clinit>")) {
          reach(new ClassPool.Declared(node.get(), method), Phase.INITIALIZATION);
        }
      }
    }
    return true;
  }

  private void unreadable(String name, MethodKey by) {
    findings.hazard(
        Kind.UNREADABLE_CODE,
        by.display() + " needs class " + name.replace('/', '.') + ", which cannot be read");
  }

  private void reach(ClassPool.Declared method, Phase phase) {
    if ((method.method().access & Opcodes.ACC_ABSTRACT) != 0) {
      return;
    }
    EnumSet<Phase> phases = visited.computeIfAbsent(method.key(), k -> EnumSet.noneOf(Phase.class));
    if (!phases.contains(Phase.RECORDS) && phases.add(phase)) {
      open.add(new Visit(method, phase));
    }
  }
}
