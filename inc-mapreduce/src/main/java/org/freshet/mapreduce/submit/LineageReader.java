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

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.VersionInfo;
import org.freshet.mapreduce.FallbackException;
import org.freshet.mapreduce.FallbackReason;

/**
 * Computes a job's {@link Lineage} from its configuration: its classes, the digests of the code and
 * cache files it brings, and every property that was set for this job.
 *
 * <p>A property counts when it comes from neither a default file ({@code *-default.xml}) nor a site
 * file ({@code *-site.xml}), and is not on the list of properties that can't reach the contents of
 * memoized results: names, ids, paths of input and output, sizes of memory and buffers, scheduling.
 */
public final class LineageReader {
  /** Changed when what is memoized, or how it is named, changes its meaning. */
  private static final String FORMAT = "1";

  /** Properties that name a run, place it or size it. */
  private static final Set<String> IGNORED =
      Set.of(
          MRJobConfig.JOB_NAME,
          MRJobConfig.JAR,
          MRJobConfig.QUEUE_NAME,
          MRJobConfig.USER_NAME,
          MRJobConfig.PRIORITY,
          MRJobConfig.JOB_SUBMITHOST,
          MRJobConfig.JOB_SUBMITHOSTADDR,
          MRJobConfig.MAPREDUCE_JOB_DIR,
          MRJobConfig.NUM_MAPS,
          MRJobConfig.WORKING_DIR,
          MRJobConfig.MAP_MEMORY_MB,
          MRJobConfig.REDUCE_MEMORY_MB,
          MRJobConfig.MAP_CPU_VCORES,
          MRJobConfig.REDUCE_CPU_VCORES,
          MRJobConfig.IO_SORT_MB,
          MRJobConfig.IO_SORT_FACTOR,
          MRJobConfig.MAP_SORT_SPILL_PERCENT,
          MRJobConfig.MAP_SPECULATIVE,
          MRJobConfig.REDUCE_SPECULATIVE,
          MRJobConfig.COMPLETED_MAPS_FOR_REDUCE_SLOWSTART,
          MRJobConfig.SHUFFLE_PARALLEL_COPIES,
          MRJobConfig.MAP_MAX_ATTEMPTS,
          MRJobConfig.REDUCE_MAX_ATTEMPTS,
          MRJobConfig.TASK_TIMEOUT,
          MRJobConfig.JOB_UBERTASK_ENABLE,
          MRJobConfig.JOB_TAGS,
          MRJobConfig.JOB_NODE_LABEL_EXP,
          MRJobConfig.CACHE_FILES,
          MRJobConfig.CACHE_ARCHIVES,
          MRJobConfig.CLASSPATH_FILES,
          MRJobConfig.CLASSPATH_ARCHIVES,
          MRJobConfig.CACHE_FILES_SIZES,
          MRJobConfig.CACHE_ARCHIVES_SIZES,
          MRJobConfig.CACHE_FILE_TIMESTAMPS,
          MRJobConfig.CACHE_ARCHIVES_TIMESTAMPS,
          MRJobConfig.CACHE_FILE_VISIBILITIES,
          MRJobConfig.CACHE_ARCHIVES_VISIBILITIES,
          "tmpjars",
          "tmpfiles",
          "tmparchives",
          MRJobConfig.FILES_FOR_CLASSPATH_AND_SHARED_CACHE,
          MRJobConfig.FILES_FOR_SHARED_CACHE,
          MRJobConfig.ARCHIVES_FOR_SHARED_CACHE,
          "mapreduce.framework.name",
          "mapreduce.client.genericoptionsparser.used",
          "mapreduce.client.submit.file.replication",
          "mapreduce.input.fileinputformat.inputdir",
          "mapreduce.input.fileinputformat.numinputfiles",
          "mapreduce.input.fileinputformat.list-status.num-threads",
          "mapreduce.output.fileoutputformat.outputdir",
          "mapreduce.job.committer.setup.cleanup.needed",
          "mapreduce.job.end-notification.url",
          "mapreduce.job.reduce.shuffle.consumer.plugin.class",
          "mapreduce.job.map.output.collector.class",
          "mapreduce.jobhistory.address",
          "fs.defaultFS",
          "hadoop.tmp.dir",
          "hadoop.http.filter.initializers",
          "fs.permissions.umask-mode");

  private static final String[] IGNORED_PREFIXES = {
    "freshet.",
    "yarn.",
    "dfs.",
    "ipc.",
    // Set by HDFS clients in the configuration that they are given.
    "rpc.engine.",
    "mapreduce.job.acl-",
    // Set by stock in the configuration of a job that it submits, which another job may be made
    // from.
    "mapreduce.job.cache.files.sharedcache.",
    "mapreduce.job.cache.archives.sharedcache.",
    "mapred.queue.",
    "mapreduce.jobtracker.",
    "mapreduce.cluster.",
    "mapreduce.client.",
    "mapreduce.local.",
    "mapreduce.reduce.shuffle.",
    "mapreduce.map.log",
    "mapreduce.reduce.log"
  };

  /** JVM options that give memory, collectors and diagnostics; others can reach user code. */
  private static final String JVM_SIZING = "-(Xm[sxn]|Xss|XX:|Xlog|verbose|server).*";

  private static final Set<String> DEFAULT_FILES =
      Set.of(
          "core-default.xml",
          "hdfs-default.xml",
          "hdfs-rbf-default.xml",
          "yarn-default.xml",
          "mapred-default.xml");

  private static final Set<String> SITE_FILES =
      Set.of(
          "core-site.xml",
          "hdfs-site.xml",
          "hdfs-rbf-site.xml",
          "yarn-site.xml",
          "mapred-site.xml");

  /** Properties of site files that speak to the cluster's services, never to a job's code. */
  private static final String[] SERVICE_PREFIXES = {
    "fs.",
    "ha.",
    "hadoop.",
    "httpfs.",
    "io.file.",
    "mapreduce.admin.",
    "mapreduce.am.",
    "mapreduce.application.",
    "mapreduce.jobhistory.",
    "mapreduce.shuffle.",
    "net.",
    "nfs.",
    "ssl."
  };

  private LineageReader() {}

  /**
   * Computes a lineage.
   *
   * @param conf the job as the user made it
   * @param extra facts found elsewhere, for example how leaves are named
   * @throws FallbackException if code or a cache file can't be digested
   */
  public static Lineage read(JobConf conf, JobClasses classes, Map<String, String> extra)
      throws FallbackException {
    Map<String, String> facts = new TreeMap<>(extra);
    facts.put("format", FORMAT);
    facts.put("hadoop", VersionInfo.getVersion());
    facts.put("reduces", Integer.toString(conf.getNumReduceTasks()));
    // Stored runs are compressed; a site file may say how, and site files do not count below.
    facts.put(
        "mapOutputCodec",
        conf.getCompressMapOutput()
            ? conf.getMapOutputCompressorClass(DefaultCodec.class).getName()
            : "none");
    classes.byRole().forEach((role, name) -> facts.put("class." + role, name));
    propertiesOfJob(conf).forEach((name, value) -> facts.put("property." + name, value));
    try {
      CacheFileWatch.begin(conf);
      code(conf, classes, facts);
      for (String property : CacheFileWatch.PROPERTIES) {
        files(conf, property, facts);
      }
    } catch (IOException | ClassNotFoundException | LinkageError e) {
      throw new FallbackException(FallbackReason.LINEAGE_UNKNOWN, e.toString(), e);
    }
    return Lineage.of(facts);
  }

  /** The properties that were set for this job and may reach its results, with their values. */
  static Map<String, String> propertiesOfJob(JobConf conf) {
    Map<String, String> properties = new TreeMap<>();
    for (Map.Entry<String, String> property : conf) {
      String name = property.getKey();
      if (ignored(name) || ofCluster(conf, name)) {
        continue;
      }
      String value = conf.get(name);
      if (value == null) {
        continue;
      }
      if (name.endsWith(".java.opts") || name.endsWith("child.java.opts")) {
        value = jvmOptions(value);
        if (value.isEmpty()) {
          continue;
        }
      }
      properties.put(name, value);
    }
    return properties;
  }

  /** Whether a property is in no lineage, whatever sets it. */
  static boolean ignored(String name) {
    if (IGNORED.contains(name)) {
      return true;
    }
    return startsWithAny(name, IGNORED_PREFIXES);
  }

  /**
   * Whether a property belongs to the cluster and not to the job: Hadoop's own defaults, and what
   * the site files say of the cluster's services. Anything else in a site file may change results
   * (for example {@code mapreduce.output.textoutputformat.separator}) and counts as the job's.
   */
  private static boolean ofCluster(Configuration conf, String name) {
    String[] sources = conf.getPropertySources(name);
    if (sources == null || sources.length == 0) {
      return false;
    }
    // Where a file itself names a source, that stands beside the file's name.
    for (String source : sources) {
      String file = source.substring(source.lastIndexOf('/') + 1);
      boolean cluster =
          DEFAULT_FILES.contains(file)
              || (SITE_FILES.contains(file) && startsWithAny(name, SERVICE_PREFIXES));
      if (!cluster) {
        return false;
      }
    }
    return true;
  }

  private static boolean startsWithAny(String name, String[] prefixes) {
    for (String prefix : prefixes) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  private static String jvmOptions(String options) {
    StringBuilder kept = new StringBuilder();
    for (String option : options.trim().split("\\s+", -1)) {
      if (!option.matches(JVM_SIZING)) {
        kept.append(kept.length() == 0 ? "" : " ").append(option);
      }
    }
    return kept.toString();
  }

  private static void code(JobConf conf, JobClasses classes, Map<String, String> facts)
      throws IOException, ClassNotFoundException {
    String jar = conf.getJar();
    if (jar != null) {
      facts.put("code.jar", ContentDigests.archive(new Path(jar), conf).hex());
    }
    for (Map.Entry<String, String> role : classes.byRole().entrySet()) {
      Class<?> type = conf.getClassByName(role.getValue());
      facts.put("code." + role.getKey(), ContentDigests.codeOf(type, conf).hex());
    }
    String runByOthers = JobClasses.RUN_BY_MAPPERS + "|" + JobClasses.RUN_BY_REDUCERS;
    for (String name : JobClasses.named(conf, runByOthers)) {
      Class<?> type = conf.getClassByName(name);
      facts.put("code.of." + name, ContentDigests.codeOf(type, conf).hex());
    }
    // Any other class that a property names may be run by code that makes it from there, as stock's
    // LazyOutputFormat, the aggregate framework and serializations do.
    for (String value : propertiesOfJob(conf).values()) {
      for (String name : JobClasses.namesIn(value)) {
        Class<?> type = classes.byRole().containsValue(name) ? null : classOrNull(conf, name);
        if (type != null) {
          facts.put("code.of." + name, ContentDigests.codeOf(type, conf).hex());
        }
      }
    }
  }

  private static Class<?> classOrNull(JobConf conf, String name) {
    try {
      return conf.getClassByNameOrNull(name);
    } catch (LinkageError e) {
      return null;
    }
  }

  /** As stock JobResourceUploader reads such a value; a Path would take a link for a name's end. */
  static URI uri(String value) {
    try {
      return new URI(value);
    } catch (URISyntaxException e) {
      return new Path(value).toUri();
    }
  }

  private static void files(JobConf conf, String property, Map<String, String> facts)
      throws IOException {
    String[] values = conf.getTrimmedStrings(property);
    int number = 0;
    for (String value : values) {
      URI uri = uri(value);
      String link = uri.getFragment();
      Path path = CacheFileWatch.path(uri);
      if (ContentDigests.isFreshet(path)) {
        continue;
      }
      facts.put(
          "file." + property + "." + number++ + "." + (link == null ? path.getName() : link),
          ContentDigests.tree(path, conf).hex());
    }
  }
}
