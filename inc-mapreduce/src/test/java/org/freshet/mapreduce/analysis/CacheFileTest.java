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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.freshet.mapreduce.analysis.CacheFileNames.Form;
import org.freshet.mapreduce.analysis.CodeTraits.Hazard;
import org.freshet.mapreduce.analysis.CodeTraits.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which reads are proven to be of the job's own cache files. */
class CacheFileTest {

  private static final CacheFileNames ALL_FORMS =
      new CacheFileNames(Set.of("stop-words"), EnumSet.allOf(Form.class));

  private static CodeTraits analyze(String mapper, CacheFileNames names) {
    return new JobCodeAnalyzer(
            CacheFileTest.class.getClassLoader(), names, List.of(), property -> false)
        .analyzeMap(
            true, CacheFileTest.class.getPackageName() + "." + mapper, List.of(), true, true);
  }

  private static Optional<Hazard> accepted(String mapper, CacheFileNames names) {
    return analyze("CacheFileMappers$" + mapper, names).hazard();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FirstByUri",
        "Tutorial",
        "ConstantLink",
        "LocalCopy",
        "OldCache",
        "PathOnDefaultFileSystem",
        "FileSystemOfUri",
        "Iterated",
        "BinaryFiles",
        "KeptInFields",
        "ReadByAnotherClass",
        "CapturedByLambda",
        "NullUntilFound",
        "AbsoluteFile",
        "ExistsOnly",
        "FileSystemUnused"
      })
  void cacheFilesAreReadWithoutHazard(String mapper) {
    assertThat(analyze("CacheFileMappers$" + mapper, ALL_FORMS))
        .isEqualTo(new CodeTraits(false, false, "", Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource({
    "FirstByUri, FirstByUri.load uses FileSystem.open",
    "Tutorial, Tutorial.parseSkipFile uses FileReader's constructor",
    "ConstantLink, ConstantLink.load uses Files.readAllLines",
    "LocalCopy, LocalCopy.load uses FileReader's constructor",
    "BinaryFiles, BinaryFiles.load uses SequenceFile$Reader.file"
  })
  void aJobWithoutCacheFilesReadsSomethingElse(String mapper, String reason) {
    assertThat(accepted(mapper, CacheFileNames.NONE))
        .contains(new Hazard(Kind.READS_OUTSIDE_DATA, "CacheFileMappers$" + reason));
  }

  @ParameterizedTest
  @CsvSource({
    "FirstByUri, URI",
    "KeptInFields, URI",
    "BinaryFiles, URI",
    "OldCache, TEXT",
    "PathOnDefaultFileSystem, PATH",
    "Tutorial, LAST_COMPONENT",
    "Iterated, LAST_COMPONENT",
    "ReadByAnotherClass, LAST_COMPONENT"
  })
  void aFormThatMayLeadElsewhereProvesNothing(String mapper, Form missing) {
    Set<Form> others = EnumSet.complementOf(EnumSet.of(missing));
    assertThat(accepted(mapper, new CacheFileNames(Set.of("stop-words"), others)).map(Hazard::kind))
        .contains(Kind.READS_OUTSIDE_DATA);
  }

  @Test
  void aConstantIsALinkOnlyIfTheJobDeclaresIt() {
    CacheFileNames other = new CacheFileNames(Set.of("go-words"), EnumSet.allOf(Form.class));
    assertThat(accepted("ConstantLink", other)).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "MergedWithProperty, load uses FileReader's constructor",
    "MergedInField, load uses FileReader's constructor",
    "MergedInParameter, read uses FileReader's constructor",
    "MergedInResult, load uses FileReader's constructor",
    "OverridableResult, load uses FileReader's constructor",
    "CalledThroughReference, length uses File.length",
    "JoinedWithParent, load uses FileSystem.open",
    "JoinedWithComponents, load uses Files.readAllLines",
    "TextOfNull, load uses FileReader's constructor",
    "Concatenated, load uses FileReader's constructor",
    "AnotherConstant, load uses Files.readAllLines",
    "ConstantOnSharedFileSystem, load uses FileSystem.open",
    "SharedPathOpenedLocally, load uses FileReader's constructor",
    "SharedPathOnLocalFileSystem, load uses LocalFileSystem.open",
    "FileSystemFromProperty, load uses FileSystem.open",
    "ListsDirectory, load uses FileSystem.listStatus",
    "WritesThroughFileSystem, load uses FileSystem.create",
    "WritesLink, load uses FileWriter's constructor",
    "DeletesAfterReading, load uses Files.newInputStream",
    "OpensByUnreadCode, load uses ZipFile's constructor",
    "AsksForModificationTime, load uses FileStatus.getModificationTime",
    "PrintsStatus, load hands a file system or file status to String.valueOf",
    "HandsFileSystemOn, load hands a file system or file status to IOUtils.closeStream",
    "FormatsFileSystem, load puts a file system or file status into an array",
    "KeepsFileSystemInMap, load hands a file system or file status to Map.put",
    "ReplacesName, load uses FileSystem.open",
    "ReplacesNameInList, load uses FileSystem.open",
    "ReplacesNameThroughAlias, load uses FileSystem.open",
    "ConfigurationOfItsOwn, load uses FileSystem.open",
    "CallsByReflection, read uses FileReader's constructor",
    "ScansText, load uses Scanner's constructor",
    "StreamOfAnotherFile, load uses FileSystem.open",
    "SequenceFileFromProperty, load uses SequenceFile$Reader.file"
  })
  void whatMayBeAnotherFileStaysAHazard(String mapper, String reason) {
    assertThat(analyze("NearCacheFileMappers$" + mapper, ALL_FORMS).hazard())
        .contains(
            new Hazard(Kind.READS_OUTSIDE_DATA, "NearCacheFileMappers$" + mapper + "." + reason));
  }

  @Test
  void cacheFilesThatTheTaskItselfSetsAreAHazard() {
    assertThat(analyze("NearCacheFileMappers$SetsCacheFiles", ALL_FORMS).hazard())
        .map(Hazard::reason)
        .contains(
            "NearCacheFileMappers$SetsCacheFiles.load changes a configuration (set), which other"
                + " code of the task may read");
  }

  @Test
  void aReducerMayReadCacheFilesToo() {
    String loader = CacheFileMappers.ConstantLink.class.getName();
    ClassLoader classes = getClass().getClassLoader();
    assertThat(
            new JobCodeAnalyzer(classes, ALL_FORMS, List.of(), property -> false)
                .analyzeReduce(List.of(loader), true))
        .isEmpty();
    assertThat(
            new JobCodeAnalyzer(classes, ALL_FORMS, List.of(), property -> false)
                .analyzeReduce(List.of(loader), false))
        .isPresent();
  }
}
