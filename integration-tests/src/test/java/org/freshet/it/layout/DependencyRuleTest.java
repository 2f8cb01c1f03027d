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
package org.freshet.it.layout;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The one dependency rule: arrows between modules go down a list, and examples know nothing. */
class DependencyRuleTest {
  /** From the bottom up: a package may use those before it in the list and never those after it. */
  private static final List<String> LAYERS =
      List.of(
          "org.freshet.shredder",
          "org.freshet.slider",
          "org.freshet.memo",
          "org.freshet.hdfs",
          "org.freshet.mapreduce",
          "org.freshet.pig",
          "org.freshet.cli");

  /** JCuda is optional, and a class loader of its own loads it and this package with it. */
  private static final String BOUND_TO_JCUDA = "org.freshet.shredder.cuda.driver.jcuda..";

  private static final JavaClasses PRODUCT = importMainClasses();

  private static JavaClasses importMainClasses() {
    Path root = Path.of(System.getProperty("freshet.it.root", ".."));
    List<Path> modules =
        Stream.of(
                "shredder-jni",
                "slider",
                "memo-server",
                "inc-hdfs",
                "inc-mapreduce",
                "examples",
                "cli")
            .map(module -> root.resolve(module).resolve("target/classes"))
            .filter(Files::exists)
            .toList();
    return new ClassFileImporter().importPaths(modules);
  }

  static Stream<String> modulesOnTheJdkAlone() {
    return Stream.of("org.freshet.shredder", "org.freshet.slider");
  }

  @ParameterizedTest
  @MethodSource
  void modulesOnTheJdkAlone(String module) {
    classes()
        .that()
        .resideInAPackage(module + "..")
        .and()
        .resideOutsideOfPackage(BOUND_TO_JCUDA)
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(module + "..", "java..", "javax..", "jdk..", "sun.misc.."))
        .check(PRODUCT);
  }

  @Test
  void onePackageKnowsJCudaAndNoneKnowsThatPackage() {
    noClasses()
        .that()
        .resideOutsideOfPackage(BOUND_TO_JCUDA)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("jcuda..", BOUND_TO_JCUDA)
        .check(PRODUCT);
  }

  static Stream<String> everyLayerUsesOnlyThoseBelowIt() {
    return LAYERS.stream().filter(l -> PRODUCT.stream().anyMatch(c -> in(c.getPackageName(), l)));
  }

  @ParameterizedTest
  @MethodSource
  void everyLayerUsesOnlyThoseBelowIt(String layer) {
    String[] below =
        LAYERS.subList(0, LAYERS.indexOf(layer) + 1).stream()
            .map(l -> l + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage(layer + "..")
        .should()
        .dependOnClassesThat(resideInAPackage("org.freshet..").and(not(resideInAnyPackage(below))))
        .check(PRODUCT);
  }

  @Test
  void examplesImportNothingOfFreshet() {
    noClasses()
        .that()
        .resideInAPackage("org.freshet.examples..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("org.freshet..").and(not(resideInAPackage("org.freshet.examples.."))))
        .allowEmptyShould(true)
        .check(PRODUCT);
  }

  @Test
  void nothingOfOursLivesInHadoopsPackages() {
    noClasses().should().resideInAPackage("org.apache..").check(PRODUCT);
  }

  @Test
  void theMemoStoreKnowsHdfsAndOtherFileSystemsOnlyThroughTheCommonInterface() {
    noClasses()
        .that()
        .resideInAnyPackage("org.freshet.memo..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.hadoop.hdfs..", "org.apache.hadoop.mapred..")
        .check(PRODUCT);
  }

  private static boolean in(String packageName, String layer) {
    return packageName.equals(layer) || packageName.startsWith(layer + ".");
  }
}
