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
package org.freshet.mapreduce.submit;

import java.io.File;
import java.net.URISyntaxException;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.freshet.hdfs.format.RecordFormats;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;
import org.freshet.mapreduce.FreshetKeys;
import org.freshet.mapreduce.analysis.CacheFileNames;
import org.freshet.mapreduce.analysis.CodeTraits;
import org.freshet.mapreduce.analysis.JobCodeAnalyzer;
import org.freshet.mapreduce.commit.OldPublishingCommitter;
import org.freshet.mapreduce.commit.PublishingFileOutputFormat;
import org.freshet.mapreduce.commit.PublishingOutputFormat;
import org.freshet.mapreduce.map.BatchInputFormat;
import org.freshet.mapreduce.map.BatchMapRunner;
import org.freshet.mapreduce.map.BatchMapper;
import org.freshet.mapreduce.map.LeafCollector;
import org.freshet.mapreduce.map.OldBatchInputFormat;
import org.freshet.mapreduce.plan.LeafNaming;
import org.freshet.mapreduce.reduce.ContractionShuffle;

/**
 * Decides whether a job that is about to be submitted can run incrementally, and if so puts
 * Freshet's classes in the places that stock MapReduce has for them. Reads the job's bytecode; runs
 * none of it.
 */
final class JobAttachment {
  private static final String OLD_COMMITTER = "mapred.output.committer.class";

  private JobAttachment() {}

  /**
   * Attaches to a job.
   *
   * @param conf the live configuration of the job
   * @param ship whether tasks run elsewhere and need Freshet's jar
   * @throws FallbackException if the job must run as stock; the configuration is then untouched
   */
  static void attach(JobConf conf, boolean ship) throws FallbackException {
    requireSupported(conf);
    JobClasses classes = JobClasses.of(conf);
    Naming naming = Naming.of(conf, classes);
    Lineage lineage =
        LineageReader.read(conf, classes, Map.of("leafNaming", naming.naming().name()));
    Map<String, String> properties = LineageReader.propertiesOfJob(conf);
    Class<?> outputFormat = load(conf, classes.get(JobClasses.OUTPUT_FORMAT));

    if (classes.newMapApi()) {
      JobRewrite.replace(
          conf, MRJobConfig.INPUT_FORMAT_CLASS_ATTR, BatchInputFormat.class.getName());
      JobRewrite.replace(conf, MRJobConfig.MAP_CLASS_ATTR, BatchMapper.class.getName());
    } else {
      JobRewrite.replace(conf, "mapred.input.format.class", OldBatchInputFormat.class.getName());
      JobRewrite.replace(conf, "mapred.map.runner.class", BatchMapRunner.class.getName());
    }
    JobRewrite.replace(
        conf, MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, LeafCollector.class.getName());
    JobRewrite.replace(conf, MRConfig.SHUFFLE_CONSUMER_PLUGIN, ContractionShuffle.class.getName());
    // The reduce's API decides on the committer on YARN, the mapper's in the local job runner.
    if (classes.newReduceApi() || classes.newMapApi()) {
      Class<?> standIn =
          FileOutputFormat.class.isAssignableFrom(outputFormat)
              ? PublishingFileOutputFormat.class
              : PublishingOutputFormat.class;
      JobRewrite.replace(conf, MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, standIn.getName());
    }
    if (!classes.newReduceApi() || !classes.newMapApi()) {
      JobRewrite.replace(conf, OLD_COMMITTER, OldPublishingCommitter.class.getName());
    }
    if (ship) {
      shipJar(conf);
    }
    new PreparedJob(
            lineage, properties, classes, naming.naming(), naming.reason(), naming.reduceHazard())
        .register(conf);
  }

  private static void requireSupported(JobConf conf) throws FallbackException {
    if (!FreshetKeys.ENABLED.getBoolean(conf)) {
      throw new FallbackException(FallbackReason.DISABLED, "");
    }
    if (conf.getNumReduceTasks() == 0) {
      throw new FallbackException(FallbackReason.NO_REDUCE, "");
    }
    if (conf.getBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false)) {
      throw new FallbackException(FallbackReason.ENCRYPTED_INTERMEDIATE_DATA, "");
    }
    if (conf.getMaxMapTaskFailuresPercent() > 0) {
      throw new FallbackException(
          FallbackReason.TOLERATES_FAILED_MAPS,
          "mapreduce.map.failures.maxpercent=" + conf.getMaxMapTaskFailuresPercent());
    }
    requireStock(
        conf,
        MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
        "org.apache.hadoop.mapred.MapTask$MapOutputBuffer");
    requireStock(
        conf, MRConfig.SHUFFLE_CONSUMER_PLUGIN, "org.apache.hadoop.mapreduce.task.reduce.Shuffle");
    if (!conf.getUseNewReducer() || !conf.getUseNewMapper()) {
      String committer = conf.get(OLD_COMMITTER);
      if (committer != null
          && !committer.equals(org.apache.hadoop.mapred.FileOutputCommitter.class.getName())) {
        throw new FallbackException(FallbackReason.CUSTOM_COMMITTER, committer);
      }
    }
    String format = JobClasses.of(conf).get(JobClasses.INPUT_FORMAT);
    if (format.equals("org.apache.hadoop.mapreduce.lib.input.DelegatingInputFormat")
        || format.equals("org.apache.hadoop.mapred.lib.DelegatingInputFormat")) {
      throw new FallbackException(FallbackReason.MULTIPLE_INPUTS, "");
    }
  }

  private static void requireStock(JobConf conf, String name, String stock)
      throws FallbackException {
    String value = conf.getTrimmed(name);
    if (value != null && !value.isEmpty() && !value.equals(stock)) {
      throw new FallbackException(FallbackReason.CUSTOM_SHUFFLE, name + "=" + value);
    }
  }

  private static Class<?> load(JobConf conf, String name) throws FallbackException {
    try {
      return conf.getClassByName(name);
    } catch (ClassNotFoundException e) {
      throw new FallbackException(FallbackReason.LINEAGE_UNKNOWN, "no class " + name, e);
    }
  }

  /**
   * Takes back that an earlier submission shipped Freshet's jar: stock has put its copy in that
   * job's directory, which is gone with the job, among the files of the job.
   */
  static void takeBackJar(Configuration conf) {
    String directory = conf.get(MRJobConfig.MAPREDUCE_JOB_DIR);
    if (directory == null || ownJar().isEmpty()) {
      return;
    }
    String libraries = new Path(directory, "libjars").toUri().getPath() + "/";
    for (String property : List.of(MRJobConfig.CACHE_FILES, MRJobConfig.CLASSPATH_FILES)) {
      String[] files = conf.getTrimmedStrings(property);
      List<String> kept =
          Arrays.stream(files)
              .filter(file -> !LineageReader.uri(file).getPath().startsWith(libraries))
              .toList();
      if (kept.isEmpty()) {
        conf.unset(property);
      } else if (kept.size() < files.length) {
        conf.setStrings(property, kept.toArray(new String[0]));
      }
    }
  }

  private static void shipJar(JobConf conf) {
    Optional<File> jar = ownJar();
    if (jar.isPresent()) {
      String uri = jar.get().toURI().toString();
      String shipped = conf.get("tmpjars");
      List<String> jars = new ArrayList<>();
      if (shipped != null && !shipped.isEmpty()) {
        jars.add(shipped);
      }
      if (shipped == null || !shipped.contains(jar.get().getName())) {
        jars.add(uri);
      }
      conf.set("tmpjars", String.join(",", jars));
    }
  }

  private static Optional<File> ownJar() {
    CodeSource source = JobAttachment.class.getProtectionDomain().getCodeSource();
    try {
      File file = new File(source.getLocation().toURI());
      return file.isFile() ? Optional.of(file) : Optional.empty();
    } catch (URISyntaxException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** How leaves are named and why, and what keeps reduces from being skipped. */
  private record Naming(LeafNaming naming, String reason, String reduceHazard) {
    private static final String[] MAP_SIDE = {
      JobClasses.MAP_RUNNER,
      JobClasses.COMBINER,
      JobClasses.PARTITIONER,
      JobClasses.SORT_COMPARATOR,
      JobClasses.COMBINER_GROUPING_COMPARATOR,
      JobClasses.MAP_KEY,
      JobClasses.MAP_VALUE
    };
    private static final String[] REDUCE_SIDE = {
      JobClasses.REDUCER,
      JobClasses.GROUPING_COMPARATOR,
      JobClasses.OUTPUT_KEY,
      JobClasses.OUTPUT_VALUE
    };

    private static final String STOCK_FILTERS =
        "org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFilter$";

    static Naming of(JobConf conf, JobClasses classes) throws FallbackException {
      FreshetKeys.PositionSensitivity declared =
          FreshetKeys.POSITION_SENSITIVE.getChoice(conf, FreshetKeys.PositionSensitivity.class);
      boolean ignoreHazards =
          FreshetKeys.CODE_HAZARDS.getChoice(conf, FreshetKeys.CodeHazards.class)
              == FreshetKeys.CodeHazards.IGNORE;
      JobCodeAnalyzer analyzer =
          new JobCodeAnalyzer(
              conf.getClassLoader(),
              CacheFileNames.declaredBy(conf),
              configured(conf, classes),
              LineageReader::ignored);
      boolean cacheFiles = !CacheFileNames.declaredBy(conf).equals(CacheFileNames.NONE);
      CodeTraits map =
          analyzer.analyzeMap(
              classes.newMapApi(),
              classes.get(JobClasses.MAPPER),
              present(
                  conf,
                  classes,
                  MAP_SIDE,
                  JobClasses.RUN_BY_MAPPERS + "|" + JobClasses.FILTERS_OF_INPUT),
              keyIsPosition(classes.get(JobClasses.INPUT_FORMAT)),
              cacheFiles);
      String reduceHazard = "";
      if (!ignoreHazards) {
        refuse(map.hazard());
        refuse(
            ofFormats(
                analyzer,
                conf,
                classes.get(JobClasses.INPUT_FORMAT),
                JobClasses.USED_BY_INPUT_FORMATS));
        // What a reduce does beside its output hides nothing from the map side: it is run again.
        reduceHazard =
            analyzer
                .analyzeReduce(
                    present(conf, classes, REDUCE_SIDE, JobClasses.RUN_BY_REDUCERS), cacheFiles)
                .or(
                    () ->
                        ofFormats(
                            analyzer,
                            conf,
                            classes.get(JobClasses.OUTPUT_FORMAT),
                            JobClasses.USED_BY_OUTPUT_FORMATS))
                .map(hazard -> hazard.kind() + ": " + hazard.reason())
                .orElse("");
      }
      return switch (declared) {
        case FALSE ->
            new Naming(
                LeafNaming.CONTENT,
                FreshetKeys.POSITION_SENSITIVE.name() + " says false",
                reduceHazard);
        case TRUE ->
            new Naming(
                map.splitVisible() ? LeafNaming.SPLIT : LeafNaming.PLACE,
                FreshetKeys.POSITION_SENSITIVE.name() + " says true",
                reduceHazard);
        case AUTO -> {
          LeafNaming naming =
              map.splitVisible()
                  ? LeafNaming.SPLIT
                  : map.positionSensitive() ? LeafNaming.PLACE : LeafNaming.CONTENT;
          yield new Naming(
              naming,
              map.positionSensitive()
                  ? map.positionReason()
                  : "the mapper can't see where its records came from",
              reduceHazard);
        }
      };
    }

    /** What a format does, or one that it makes because a property names it. */
    private static Optional<CodeTraits.Hazard> ofFormats(
        JobCodeAnalyzer analyzer, JobConf conf, String format, String properties) {
      List<String> formats = new ArrayList<>();
      formats.add(format);
      formats.addAll(JobClasses.named(conf, properties));
      return formats.stream()
          .filter(name -> !name.startsWith("org.apache."))
          .map(analyzer::analyzeFormat)
          .flatMap(Optional::stream)
          .findFirst();
    }

    private static void refuse(Optional<CodeTraits.Hazard> hazard) throws FallbackException {
      if (hazard.isPresent()) {
        throw new FallbackException(
            FallbackReason.CODE_HAZARD,
            hazard.get().kind()
                + ": "
                + hazard.get().reason()
                + "; "
                + FreshetKeys.CODE_HAZARDS.name()
                + "=ignore overrides this");
      }
    }

    /**
     * The classes of these roles, and those that stock code runs by their property. Stock's own
     * filters of records are known.
     */
    private static List<String> present(
        JobConf conf, JobClasses classes, String[] roles, String properties) {
      List<String> names = new ArrayList<>(JobClasses.named(conf, properties));
      names.removeIf(name -> name.startsWith(STOCK_FILTERS));
      for (String role : roles) {
        if (classes.get(role) != null) {
          names.add(classes.get(role));
        }
      }
      return names;
    }

    /**
     * What may be names of classes in the properties that the job sets for its own code, as
     * patterns of reflection read them.
     */
    private static Set<String> configured(JobConf conf, JobClasses classes) {
      Set<String> names = new TreeSet<>();
      LineageReader.propertiesOfJob(conf)
          .forEach(
              (property, value) -> {
                if (!property.startsWith("mapreduce.job.") && !property.startsWith("io.")) {
                  names.addAll(JobClasses.namesIn(value));
                }
              });
      // These have roles, and are looked at in them.
      names.removeAll(classes.byRole().values());
      return names;
    }

    /** Formats whose keys come from the records; any other key may tell an offset. */
    private static boolean keyIsPosition(String inputFormat) {
      return !inputFormat.endsWith(".KeyValueTextInputFormat")
          && !inputFormat.contains(".SequenceFile")
          && !inputFormat.contains(".CombineSequenceFile")
          && !RecordFormats.isAvro(inputFormat);
    }
  }
}
