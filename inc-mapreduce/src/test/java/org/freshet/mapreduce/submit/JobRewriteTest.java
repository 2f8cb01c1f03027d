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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.junit.jupiter.api.Test;

class JobRewriteTest {
  private final Configuration conf = new Configuration(false);

  private static Map<String, String> properties(Configuration conf) {
    Map<String, String> properties = new HashMap<>();
    conf.forEach(property -> properties.put(property.getKey(), property.getValue()));
    return properties;
  }

  @Test
  void aReplacedPropertyIsPutBack() {
    conf.set("a", "user's");
    JobRewrite.replace(conf, "a", "ours");
    assertThat(conf.get("a")).isEqualTo("ours");
    assertThat(JobRewrite.original(conf, "a")).isEqualTo("user's");

    JobRewrite.restore(conf);

    assertThat(conf.get("a")).isEqualTo("user's");
  }

  @Test
  void aPropertyThatWasNotThereIsGoneAgain() {
    JobRewrite.replace(conf, "a", "ours");
    assertThat(JobRewrite.original(conf, "a")).isNull();

    JobRewrite.restore(conf);

    assertThat(conf.get("a")).isNull();
  }

  @Test
  void theFirstOfSeveralReplacementsRemembersTheUsersValue() {
    conf.set("a", "user's");
    JobRewrite.replace(conf, "a", "one");
    JobRewrite.replace(conf, "a", "two");
    assertThat(conf.get("a")).isEqualTo("two");

    JobRewrite.restore(conf);

    assertThat(conf.get("a")).isEqualTo("user's");
  }

  @Test
  void variablesInAValueAreNotExpandedOnTheWay() {
    conf.set("b", "one");
    conf.set("a", "${b} and a half");
    JobRewrite.replace(conf, "a", "ours");
    JobRewrite.restore(conf);
    conf.set("b", "two");

    assertThat(conf.get("a")).isEqualTo("two and a half");
  }

  @Test
  void emptyValuesAreValuesToo() {
    conf.set("a", "");
    JobRewrite.replace(conf, "a", "ours");

    JobRewrite.restore(conf);

    assertThat(conf.get("a")).isEmpty();
  }

  @Test
  void anUndoneRewriteLeavesTheConfigurationAsItWas() {
    conf.set("a", "user's");
    conf.set("c", "${a}");
    Map<String, String> before = properties(conf);
    JobRewrite.replace(conf, "a", "ours");
    JobRewrite.replace(conf, "b", "ours");
    JobRewrite.replace(conf, "c", "ours");
    assertThat(JobRewrite.isRewritten(conf)).isTrue();

    JobRewrite.undo(conf);

    assertThat(properties(conf)).isEqualTo(before);
    assertThat(JobRewrite.isRewritten(conf)).isFalse();
  }

  @Test
  void aRestoredConfigurationCanBeRestoredAgain() {
    conf.set("a", "user's");
    JobRewrite.replace(conf, "a", "ours");
    JobRewrite.restore(conf);

    JobRewrite.restore(conf);

    assertThat(conf.get("a")).isEqualTo("user's");
  }

  @Test
  void stockDefaultsComeBackForWhatTheUserDidNotSet() {
    JobConf job = new JobConf();
    String stock = job.get(MRConfig.SHUFFLE_CONSUMER_PLUGIN);
    JobRewrite.replace(job, MRConfig.SHUFFLE_CONSUMER_PLUGIN, "ours");
    JobRewrite.undo(job);

    assertThat(job.get(MRConfig.SHUFFLE_CONSUMER_PLUGIN)).isEqualTo(stock);
  }

  @Test
  void theUsersViewIsACopy() {
    conf.set("a", "user's");
    JobRewrite.replace(conf, "a", "ours");

    JobConf view = JobRewrite.userView(conf);
    view.set("a", "changed");

    assertThat(conf.get("a")).isEqualTo("ours");
    assertThat(JobRewrite.userView(conf).get("a")).isEqualTo("user's");
  }

  @Test
  void theJobsOwnFormatsAreMadeAndConfigured() {
    JobConf job = new JobConf();
    job.setClass(
        MRJobConfig.INPUT_FORMAT_CLASS_ATTR,
        KeyValueTextInputFormat.class,
        org.apache.hadoop.mapreduce.InputFormat.class);
    job.setClass(
        MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR,
        SequenceFileOutputFormat.class,
        org.apache.hadoop.mapreduce.OutputFormat.class);
    JobRewrite.replace(job, MRJobConfig.INPUT_FORMAT_CLASS_ATTR, "ours");
    JobRewrite.replace(job, MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, "ours");
    JobRewrite.replace(job, "mapred.input.format.class", "ours");

    assertThat(JobRewrite.newInputFormat(job)).isExactlyInstanceOf(KeyValueTextInputFormat.class);
    assertThat(JobRewrite.newOutputFormat(job)).isExactlyInstanceOf(SequenceFileOutputFormat.class);
    assertThat(JobRewrite.oldInputFormat(job))
        .isExactlyInstanceOf(org.apache.hadoop.mapred.TextInputFormat.class);
    assertThat(JobRewrite.newInputFormat(new JobConf())).isExactlyInstanceOf(TextInputFormat.class);
  }
}
