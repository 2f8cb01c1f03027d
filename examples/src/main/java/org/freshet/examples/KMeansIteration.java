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

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/**
 * One iteration of k-means clustering (Lloyd, IEEE Transactions on Information Theory 28, 1982):
 * moves each centre to the mean of the points nearest to it. The centres reach the mappers as a
 * cache file. Sums of floating-point numbers depend on their order in the last bits.
 */
public final class KMeansIteration extends ExampleTool {

  /** The cache file's name in a task's working directory. */
  private static final String CENTRES = "kmeans-centres";

  /**
   * Makes the program; points and centres are lines {@code x,y,...}, and the output of an iteration
   * is the centres file of the next.
   */
  public KMeansIteration() {
    super("kmeans", "", "points", "centres file", "out");
  }

  /** Emits each point under the index of the nearest centre. */
  public static final class NearestMapper
      extends Mapper<LongWritable, Text, IntWritable, VectorSum> {
    private final IntWritable index = new IntWritable();
    private final VectorSum sum = new VectorSum();
    private List<double[]> centres;

    @Override
    protected void setup(Context context) throws IOException {
      centres = Vectors.parseAll(Files.readAllLines(Paths.get(CENTRES)));
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      if (text.isBlank()) {
        return;
      }
      double[] point = Vectors.parse(text);
      index.set(Vectors.nearest(point, centres));
      sum.setSingle(point);
      context.write(index, sum);
    }
  }

  /** Adds up sums. */
  public static final class SumCombiner
      extends Reducer<IntWritable, VectorSum, IntWritable, VectorSum> {
    @Override
    protected void reduce(IntWritable index, Iterable<VectorSum> sums, Context context)
        throws IOException, InterruptedException {
      context.write(index, total(sums));
    }
  }

  /** Writes the new centre. */
  public static final class CentreReducer
      extends Reducer<IntWritable, VectorSum, IntWritable, Text> {
    private final Text centre = new Text();

    @Override
    protected void reduce(IntWritable index, Iterable<VectorSum> sums, Context context)
        throws IOException, InterruptedException {
      centre.set(Vectors.format(total(sums).mean()));
      context.write(index, centre);
    }
  }

  static VectorSum total(Iterable<VectorSum> sums) {
    VectorSum total = new VectorSum();
    sums.forEach(total::add);
    return total;
  }

  @Override
  boolean execute(String[] args) throws IOException, InterruptedException, ClassNotFoundException {
    Job job = Job.getInstance(getConf(), "k-means iteration");
    job.setJarByClass(KMeansIteration.class);
    Path centres = new Path(args[1]);
    URI file = centres.getFileSystem(getConf()).makeQualified(centres).toUri();
    job.addCacheFile(URI.create(file + "#" + CENTRES));
    job.setMapperClass(NearestMapper.class);
    job.setCombinerClass(SumCombiner.class);
    job.setReducerClass(CentreReducer.class);
    job.setMapOutputKeyClass(IntWritable.class);
    job.setMapOutputValueClass(VectorSum.class);
    job.setOutputKeyClass(IntWritable.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(job, args[0]);
    FileOutputFormat.setOutputPath(job, new Path(args[2]));
    return job.waitForCompletion(true);
  }

  /**
   * Runs the program and exits with its code.
   *
   * @param args see the usage text
   */
  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new KMeansIteration(), args));
  }
}
