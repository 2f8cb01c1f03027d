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
package org.freshet.cli.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.freshet.cli.bench.SparkApplications.Way;

/**
 * What those pay, or gain, who have the scheduler turned on and run SQL in batches: queries of
 * TPC-H by Spark as it is and with Freshet, in turn, on one standalone cluster. The results are
 * compared.
 */
final class DrizzleSqlBenchmark implements Benchmark {
  private static final List<Way> WAYS = List.of(SparkApplications.STOCK, SparkApplications.FRESHET);
  private static final int SIZE_MB = 500;
  private static final int QUICK_SIZE_MB = 100;

  /** Nothing is to be lost: at most two percent. */
  private static final double MOST = 1.02;

  @Override
  public String name() {
    return "drizzle-sql";
  }

  @Override
  public String description() {
    return "Queries of TPC-H in batches, with and without the scheduler of micro-batches.";
  }

  @Override
  public List<BenchRow> run(BenchContext context) throws IOException, InterruptedException {
    int rounds = context.runs().orElse(context.quick() ? 1 : 3);
    int sizeMb = context.sizeMb().orElse(context.quick() ? QUICK_SIZE_MB : SIZE_MB);
    List<String> arguments =
        List.of(
            context.workDirectory().resolve("tables-" + sizeMb + "-mb").toString(),
            String.valueOf(sizeMb / 1000.0),
            context.quick() ? "3" : "5");
    Map<Way, Map<String, List<Double>>> times = new LinkedHashMap<>();
    Map<String, String> results = new LinkedHashMap<>();
    try (SparkApplications spark = new SparkApplications(context)) {
      for (int round = 1; round <= rounds; round++) {
        for (Way way : WAYS) {
          context.progress().accept("Round " + round + " of " + rounds + ": " + way.title());
          Map<String, List<Double>> ofWay =
              times.computeIfAbsent(way, key -> new LinkedHashMap<>());
          for (String[] fields :
              spark.run(way, "SqlQueries", arguments, Set.of("result", "query"))) {
            String query = fields[1];
            if (fields[0].equals("query")) {
              ofWay.computeIfAbsent(query, key -> new ArrayList<>()).add(Double.valueOf(fields[2]));
            } else {
              String result = fields[2] + " rows with hash " + fields[3];
              String first = results.putIfAbsent(query, result);
              if (first != null && !first.equals(result)) {
                throw new IOException(
                    query + " gave " + result + " with " + way.title() + ", before: " + first);
              }
            }
          }
        }
      }
    }
    return rows(times.get(SparkApplications.STOCK), times.get(SparkApplications.FRESHET));
  }

  private static List<BenchRow> rows(
      Map<String, List<Double>> stock, Map<String, List<Double>> freshet) {
    List<BenchRow> rows = new ArrayList<>();
    freshet.forEach(
        (query, times) ->
            rows.add(
                BenchRow.of(query, "time", "ms", BenchRow.Better.LOWER, of(times))
                    .withStock(of(stock.get(query)).median())));
    double stockTotal = of(passes(stock)).median();
    rows.add(
        BenchRow.of(
                "all " + freshet.size() + " queries",
                "time",
                "ms",
                BenchRow.Better.LOWER,
                of(passes(freshet)))
            .withStock(stockTotal)
            .withTarget(MOST * stockTotal));
    return rows;
  }

  /** The time of all queries together, each time that they were run. */
  private static List<Double> passes(Map<String, List<Double>> byQuery) {
    List<Double> sums = new ArrayList<>();
    for (List<Double> times : byQuery.values()) {
      for (int pass = 0; pass < times.size(); pass++) {
        if (pass == sums.size()) {
          sums.add(0.0);
        }
        sums.set(pass, sums.get(pass) + times.get(pass));
      }
    }
    return sums;
  }

  private static Samples of(List<Double> values) {
    return Samples.of(values, Double::doubleValue);
  }
}
