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

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The names of the classes that make up a job, as stock Hadoop would resolve them, by role. Reads
 * the configuration only; loads no class.
 *
 * @param newMapApi whether the map side uses the new API
 * @param newReduceApi whether the reduce side does
 * @param byRole role to class name; a role that the job leaves empty is absent
 */
public record JobClasses(boolean newMapApi, boolean newReduceApi, Map<String, String> byRole) {
  public static final String INPUT_FORMAT = "inputFormat";
  public static final String MAPPER = "mapper";
  public static final String MAP_RUNNER = "mapRunner";
  public static final String COMBINER = "combiner";
  public static final String PARTITIONER = "partitioner";
  public static final String REDUCER = "reducer";
  public static final String OUTPUT_FORMAT = "outputFormat";
  public static final String SORT_COMPARATOR = "sortComparator";
  public static final String GROUPING_COMPARATOR = "groupingComparator";
  public static final String COMBINER_GROUPING_COMPARATOR = "combinerGroupingComparator";
  public static final String MAP_KEY = "mapOutputKey";
  public static final String MAP_VALUE = "mapOutputValue";
  public static final String OUTPUT_KEY = "outputKey";
  public static final String OUTPUT_VALUE = "outputValue";

  /** Properties with the classes that stock mappers run, as a regular expression. */
  static final String RUN_BY_MAPPERS =
      "(mapreduce\\.)?chain\\.mapper\\.mapper\\.class\\.\\d+"
          + "|mapreduce\\.mapper\\.multithreadedmapper\\.mapclass";

  /** Properties with the classes that stock reducers run. */
  static final String RUN_BY_REDUCERS =
      "(mapreduce\\.)?chain\\.reducer\\.(mapper|reducer)\\.class(\\.\\d+)?";

  /** Properties with the classes by which stock input formats leave out records. */
  static final String FILTERS_OF_INPUT = "mapreduce\\.input\\.sequencefileinputfilter\\.class";

  /** Properties with the formats and readers that stock input formats make. */
  static final String USED_BY_INPUT_FORMATS =
      "stream\\.recordreader\\.class|mapreduce\\.pipes\\.inputformat";

  /** Properties with the formats that stock output formats write by. */
  static final String USED_BY_OUTPUT_FORMATS =
      "mapreduce\\.output\\.lazyoutputformat\\.outputformat";

  private static final Pattern CLASS_NAME =
      Pattern.compile(
          "(\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*\\.)+"
              + "\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*");

  private static final String LIB = "org.apache.hadoop.mapreduce.lib.";
  private static final String OLD = "org.apache.hadoop.mapred.";

  /** Reads a job's classes. */
  public static JobClasses of(JobConf conf) {
    boolean newMap = conf.getUseNewMapper();
    boolean newReduce = conf.getUseNewReducer();
    Map<String, String> roles = new LinkedHashMap<>();
    if (newMap) {
      put(
          roles,
          INPUT_FORMAT,
          conf,
          MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
          LIB + "input.TextInputFormat");
      put(roles, MAPPER, conf, MRJobConfig.MAP_CLASS_ATTR, "org.apache.hadoop.mapreduce.Mapper");
      put(
          roles,
          PARTITIONER,
          conf,
          MRJobConfig.PARTITIONER_CLASS_ATTR,
          LIB + "partition.HashPartitioner");
    } else {
      put(roles, INPUT_FORMAT, conf, "mapred.input.format.class", OLD + "TextInputFormat");
      put(roles, MAPPER, conf, "mapred.mapper.class", OLD + "lib.IdentityMapper");
      put(roles, MAP_RUNNER, conf, "mapred.map.runner.class", OLD + "MapRunner");
      put(roles, PARTITIONER, conf, "mapred.partitioner.class", OLD + "lib.HashPartitioner");
    }
    // Stock takes the old API's Combiner first, whatever API the mapper has.
    String combiner = conf.get("mapred.combiner.class");
    put(roles, COMBINER, combiner != null ? combiner : conf.get(MRJobConfig.COMBINE_CLASS_ATTR));
    if (newReduce) {
      put(
          roles,
          REDUCER,
          conf,
          MRJobConfig.REDUCE_CLASS_ATTR,
          "org.apache.hadoop.mapreduce.Reducer");
      put(
          roles,
          OUTPUT_FORMAT,
          conf,
          MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR,
          LIB + "output.TextOutputFormat");
    } else {
      put(roles, REDUCER, conf, "mapred.reducer.class", OLD + "lib.IdentityReducer");
      put(roles, OUTPUT_FORMAT, conf, "mapred.output.format.class", OLD + "TextOutputFormat");
      put(roles, "outputCommitter", conf.get("mapred.output.committer.class"));
    }
    put(roles, SORT_COMPARATOR, conf.get(MRJobConfig.KEY_COMPARATOR));
    put(roles, GROUPING_COMPARATOR, conf.get(MRJobConfig.GROUP_COMPARATOR_CLASS));
    put(roles, COMBINER_GROUPING_COMPARATOR, conf.get(MRJobConfig.COMBINER_GROUP_COMPARATOR_CLASS));
    put(roles, OUTPUT_KEY, conf, MRJobConfig.OUTPUT_KEY_CLASS, "org.apache.hadoop.io.LongWritable");
    put(roles, OUTPUT_VALUE, conf, MRJobConfig.OUTPUT_VALUE_CLASS, "org.apache.hadoop.io.Text");
    put(roles, MAP_KEY, conf, MRJobConfig.MAP_OUTPUT_KEY_CLASS, roles.get(OUTPUT_KEY));
    put(roles, MAP_VALUE, conf, MRJobConfig.MAP_OUTPUT_VALUE_CLASS, roles.get(OUTPUT_VALUE));
    return new JobClasses(newMap, newReduce, Map.copyOf(roles));
  }

  /**
   * The classes that the properties of these names hold.
   *
   * @param properties a regular expression
   */
  static Set<String> named(JobConf conf, String properties) {
    Set<String> names = new TreeSet<>();
    for (String value : conf.getValByRegex("^(" + properties + ")$").values()) {
      if (!value.isBlank()) {
        names.add(value.trim());
      }
    }
    return names;
  }

  /** What may be names of classes in a property's value, which may be a list. */
  static List<String> namesIn(String value) {
    return Arrays.stream(value.split("[,;\\s]+", -1))
        .filter(word -> CLASS_NAME.matcher(word).matches())
        .toList();
  }

  /** The class of a role, or null where the job names none. */
  public String get(String role) {
    return byRole.get(role);
  }

  private static void put(
      Map<String, String> roles, String role, JobConf conf, String key, String defaultClass) {
    put(roles, role, conf.getTrimmed(key, defaultClass));
  }

  private static void put(Map<String, String> roles, String role, String value) {
    if (value != null && !value.isBlank()) {
      roles.put(role, value.trim());
    }
  }
}
