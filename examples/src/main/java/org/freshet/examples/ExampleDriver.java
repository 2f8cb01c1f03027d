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
package org.freshet.examples;

import org.apache.hadoop.util.ProgramDriver;

/** Runs an example by name: {@code hadoop jar freshet-examples.jar NAME ARGS}. */
public final class ExampleDriver {

  private ExampleDriver() {}

  /**
   * Runs the example named by the first argument, or lists the examples if it names none.
   *
   * @param args name of the example, then its arguments
   * @throws Throwable whatever the example throws
   */
  public static void main(String[] args) throws Throwable {
    ProgramDriver driver = new ProgramDriver();
    driver.addClass("average", AverageByKey.class, "mean of the numbers of each key");
    driver.addClass("bigrams", BigramCount.class, "counts pairs of neighbouring words");
    driver.addClass("cooccurrence", CoOccurrenceMatrix.class, "counts words near each other");
    driver.addClass("distinctusers", DistinctUsers.class, "counts the users of each site");
    driver.addClass("invertedindex", InvertedIndex.class, "lists the files of each word");
    driver.addClass("kmeans", KMeansIteration.class, "one iteration of k-means clustering");
    driver.addClass("logstats", LogStatistics.class, "statistics of a web server's log");
    driver.addClass("median", MedianByKey.class, "median of the numbers of each key (old API)");
    driver.addClass("secondarysort", SecondarySort.class, "sorts the numbers of each key");
    driver.addClass("sequencetotals", SequenceFileTotals.class, "sums up sequence files");
    driver.addClass("texttosequence", TextToSequenceFile.class, "makes sequence files of text");
    driver.addClass("topk", TopK.class, "the items of highest score of each key");
    driver.addClass("wordcount", WordCountOld.class, "counts words (old API)");
    System.exit(driver.run(args));
  }
}
