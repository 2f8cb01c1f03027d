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

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.freshet.mapreduce.analysis.CodeTraits.Hazard;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;

/**
 * Decides from bytecode alone what a job's code can see and do, erring on the safe side. User code
 * is never loaded, let alone run.
 *
 * <p>The reduce side may see task numbers, which are partitions and stay what they are; ids that
 * change with each run are a hazard on both sides.
 *
 * <p>Stock mappers that run other classes named only by the configuration ({@code ChainMapper},
 * {@code MultithreadedMapper}, {@code DelegatingMapper}, the aggregate framework) are reported
 * position sensitive without being followed, as is code that uses reflection. The classes that they
 * may run are those that the configuration names; the caller gives them, or their hazards stay
 * unseen.
 *
 * <p>Immutable and thread-safe; each call reads the classes it needs anew.
 */
public final class JobCodeAnalyzer {

  private final ClassLoader jobLoader;
  private final CacheFileNames cacheFiles;
  private final Set<String> configured;
  private final Predicate<String> inNoLineage;

  /**
   * Makes an analyzer for one job, of whose cache files nothing is known: each file that the job's
   * code opens is a hazard.
   *
   * @param jobLoader finds the job's classes, Hadoop and the JDK as resources
   */
  public JobCodeAnalyzer(ClassLoader jobLoader) {
    this(jobLoader, CacheFileNames.NONE, List.of(), property -> false);
  }

  /**
   * Makes an analyzer for one job.
   *
   * @param jobLoader finds the job's classes, Hadoop and the JDK as resources
   * @param cacheFiles the names under which code may read files without hazard
   * @param configured binary names that the job's properties hold and that may be those of classes:
   *     code that uses reflection is taken to run them
   * @param inNoLineage tells the properties that may differ between runs of one lineage
   */
  public JobCodeAnalyzer(
      ClassLoader jobLoader,
      CacheFileNames cacheFiles,
      Collection<String> configured,
      Predicate<String> inNoLineage) {
    this.jobLoader = Objects.requireNonNull(jobLoader, "jobLoader");
    this.cacheFiles = Objects.requireNonNull(cacheFiles, "cacheFiles");
    this.inNoLineage = Objects.requireNonNull(inNoLineage, "inNoLineage");
    this.configured =
        configured.stream()
            .map(JobCodeAnalyzer::internalName)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Analyzes the code that runs in map tasks.
   *
   * @param newApi whether the mapper is one of {@code org.apache.hadoop.mapreduce}
   * @param mapperClass binary class name of the mapper
   * @param otherMapSide binary names of the other classes that user code of the map side is in:
   *     combiner, partitioner, comparators, key and value classes, map runner
   * @param keyIsPosition whether the input format's key tells a position (a byte offset, as that of
   *     TextInputFormat); false for KeyValueTextInputFormat, SequenceFileInputFormat and the like
   * @param hasCacheFiles whether the job has cache files; if not, no file is taken for one
   * @return what was found; a class that cannot be read is a hazard, never an exception
   */
  public CodeTraits analyzeMap(
      boolean newApi,
      String mapperClass,
      List<String> otherMapSide,
      boolean keyIsPosition,
      boolean hasCacheFiles) {
    List<String> classes = new ArrayList<>();
    classes.add(mapperClass);
    classes.addAll(otherMapSide);
    Findings findings = new Findings(Findings.Side.MAP);
    ClassPool pool = analyze(classes, findings, keyIsPosition, hasCacheFiles);
    String api = newApi ? "org/apache/hadoop/mapreduce/Mapper" : "org/apache/hadoop/mapred/Mapper";
    if (!pool.isSubtype(internalName(mapperClass), api)) {
      findings.hazard(
          Kind.UNREADABLE_CODE, mapperClass + " is not known to be a " + api.replace('/', '.'));
    }
    return findings.traits();
  }

  /**
   * Analyzes the code that runs in reduce tasks. Static state does not matter there: a reduce task
   * runs its reducer once.
   *
   * @param reduceSideClasses binary names of reducer, comparators, key and value classes
   * @param hasCacheFiles as for {@link #analyzeMap}
   * @return the first hazard found
   */
  public Optional<Hazard> analyzeReduce(List<String> reduceSideClasses, boolean hasCacheFiles) {
    Findings findings = new Findings(Findings.Side.REDUCE);
    analyze(reduceSideClasses, findings, false, hasCacheFiles);
    return findings.hazard();
  }

  /**
   * Analyzes an input or output format with the readers and writers that it makes. It opens files,
   * which is what it is for, and knows its task; what it must not do is to read clocks, chance or
   * services, which no digest of a file covers.
   *
   * @param formatClass binary name of a format that is not one of Hadoop's own
   * @return the first hazard found
   */
  public Optional<Hazard> analyzeFormat(String formatClass) {
    Findings findings = new Findings(Findings.Side.FORMAT);
    analyze(List.of(formatClass), findings, false, false);
    return findings.hazard();
  }

  private ClassPool analyze(
      List<String> classNames, Findings findings, boolean keyIsPosition, boolean hasCacheFiles) {
    CodeScope scope = new CodeScope(jobLoader);
    List<String> roots = new ArrayList<>();
    for (String className : classNames) {
      String name = internalName(className);
      if (!CodeScope.isKnownHarmless(name)) {
        roots.add(name);
        scope.readAlso(name);
      }
    }
    ClassPool pool = new ClassPool(jobLoader, scope);
    Reachability reachability =
        new Reachability(
            pool,
            scope,
            findings,
            keyIsPosition,
            hasCacheFiles ? cacheFiles : CacheFileNames.NONE,
            inNoLineage);
    for (String root : roots) {
      Optional<String> delegating =
          pool.supertypes(root).stream().filter(CodeScope::isDelegating).findFirst();
      if (delegating.isPresent()) {
        findings.configuredCode(
            MethodKey.displayClass(delegating.get()) + " runs code that the configuration names");
      } else {
        reachability.addRoot(root);
      }
    }
    reachability.run(configured);
    return pool;
  }

  private static String internalName(String className) {
    return className.replace('.', '/');
  }
}
