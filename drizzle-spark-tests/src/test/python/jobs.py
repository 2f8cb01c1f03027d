#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
# in compliance with the License. You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License
# is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
# or implied. See the License for the specific language governing permissions and limitations under
# the License.
#
"""Jobs of all kinds that PySpark has: jobs.py RESULTS

Writes what they return to the file RESULTS, as JSON. It is the same, byte for byte, on stock Spark and with Freshet.
Runs on a cluster of one machine: files of the streaming query lie in a directory beside RESULTS.
"""

import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import pandas as pd
from pyspark import StorageLevel, TaskContext
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F
from pyspark.streaming import StreamingContext
from pyspark.streaming.listener import StreamingListener

# For what is awaited. It takes a tenth of that on two cores.
LIMIT_S = 300

BATCHES = 12
FILES = 6


def fails_at_first(index, rows):
    """Fails in the first attempt of the second partition, after some of its rows."""
    for i, row in enumerate(rows):
        if index == 1 and i == 3 and TaskContext.get().attemptNumber() == 0:
            raise ValueError("This attempt is meant to fail")
        yield row


def rdds(sc):
    numbers = sc.parallelize(range(2000), 4)
    seen, factor = sc.accumulator(0), sc.broadcast({"factor": 3})

    def keyed(i):
        seen.add(1)
        return i % 17, i * factor.value["factor"]

    pairs = numbers.map(keyed).persist(StorageLevel.MEMORY_AND_DISK)
    sums = pairs.reduceByKey(lambda a, b: a + b, 3)
    counts = pairs.mapValues(lambda _: 1).foldByKey(0, lambda a, b: a + b, 2)
    results = {
        "sums": sorted(sums.collect()),
        "joined": sorted(sums.join(counts, 5).collect()),
        "cogrouped": sorted((k, sorted(map(sum, vs))) for k, vs in sums.cogroup(counts).collect()),
        "sorted": numbers.map(lambda i: (i * 7919) % 2003).sortBy(lambda i: -i, numPartitions=3).take(20),
        "tree": numbers.repartition(9).treeAggregate(0, lambda a, i: a + i, lambda a, b: a + b, depth=3),
        "united": sums.union(counts).distinct().count(),
        "zipped": sums.keys().zipWithIndex().count(),
        "failed once": sorted(
            numbers.mapPartitionsWithIndex(fails_at_first).map(lambda i: (i % 5, i)).reduceByKey(lambda a, b: a + b).collect()
        ),
    }
    pairs.unpersist()
    # Counted once for each partition that was computed; the partitions were kept.
    results["seen"] = seen.value

    counted = sc.accumulator(0)
    numbers.foreach(lambda i: counted.add(i))
    results["counted"] = counted.value
    try:
        numbers.map(lambda i: 1 // (i - 700)).count()
        results["error"] = None
    except Exception as e:
        results["error"] = "ZeroDivisionError" in str(e)
    return results


def iterations(sc):
    """Many small jobs, each on what the one before it has returned."""
    points = sc.parallelize([(i % 10 - 4.5, i % 7 - 3.0) for i in range(400)], 4).cache()
    x = y = 10.0
    for _ in range(20):
        here = (x, y)
        dx, dy = (
            points.map(lambda p: (0, (here[0] - p[0], here[1] - p[1])))
            .reduceByKey(lambda a, b: (a[0] + b[0], a[1] + b[1]), 2)
            .values()
            .first()
        )
        x, y = x - dx / 800, y - dy / 800
    return round(x, 9), round(y, 9)


def queries(spark):
    frame = spark.createDataFrame([(i, i % 11, float(i % 13)) for i in range(3000)], "id long, k long, v double")
    plus = F.udf(lambda i: i + 1, "long")

    @F.pandas_udf("double")
    def twice(v: pd.Series) -> pd.Series:
        return v * 2

    def spread(of: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"k": [of.k.iloc[0]], "spread": [of.v.max() - of.v.min()]})

    summed = frame.withColumn("k", plus("k")).groupBy("k").agg(F.sum(twice("v")).alias("s"), F.count("*").alias("n"))
    ranked = frame.withColumn("r", F.row_number().over(Window.partitionBy("k").orderBy(F.desc("v"), "id"))).where("r <= 2")
    rows = {
        "summed": summed,
        "spread": frame.groupBy("k").applyInPandas(spread, "k long, spread double"),
        "ranked": ranked,
        "joined": frame.join(summed, "k").groupBy("n").agg(F.sum("s")),
        "distinct": frame.select("v").distinct(),
    }
    return {name: sorted(list(row) for row in rows[name].collect()) for name in rows}


def streaming_query(spark, directory):
    files, checkpoint = directory / "in", directory / "checkpoint"
    files.mkdir()
    for i in range(FILES):
        path = files / f"{i}.csv"
        path.write_text("".join(f"{n % 5},{n}\n" for n in range(i * 100, i * 100 + 100)))
        # Files are taken by their times.
        os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))
    batches = []

    def take(rows, batch):
        batches.append([batch, rows.count(), sorted(list(row) for row in rows.collect())])

    query = (
        spark.readStream.schema("k long, n long")
        .option("maxFilesPerTrigger", 1)
        .csv(files.as_uri())
        .groupBy("k")
        .agg(F.sum("n"), F.count("*"))
        .writeStream.outputMode("complete")
        .option("checkpointLocation", checkpoint.as_uri())
        .trigger(availableNow=True)
        .foreachBatch(take)
        .start()
    )
    if not query.awaitTermination(LIMIT_S):
        raise TimeoutError(f"The query has not ended after {LIMIT_S} s")
    return batches


class Ended(StreamingListener):
    """Tells when some batches have ended. The functions of a stream cannot: they are kept in its checkpoints."""

    def __init__(self, batches):
        self.left = batches
        self.event = threading.Event()

    def onBatchCompleted(self, completed):
        self.left -= 1
        if self.left == 0:
            self.event.set()


def dstreams(sc, directory):
    streaming = StreamingContext(sc, 1)
    streaming.checkpoint((directory / "dstreams").as_uri())
    pairs = streaming.queueStream(
        [sc.parallelize([(n % 4, n) for n in range(b * 50, b * 50 + 50)], 2) for b in range(BATCHES)]
    )
    results = {"counts": [], "states": [], "windows": []}

    def take(name):
        into = results[name]
        return lambda rdd: into.append(sorted(rdd.collect()))

    pairs.reduceByKey(lambda a, b: a + b).foreachRDD(take("counts"))
    pairs.updateStateByKey(lambda now, all: (all or 0) + sum(now), 2).foreachRDD(take("states"))
    pairs.reduceByKeyAndWindow(lambda a, b: a + b, None, 3, 1).foreachRDD(take("windows"))
    ended = Ended(BATCHES)
    streaming.addStreamingListener(ended)
    streaming.start()
    has_ended = ended.event.wait(LIMIT_S)
    streaming.stop(stopSparkContext=False, stopGraceFully=False)
    if not has_ended:
        raise TimeoutError(f"{ended.left} batches have not ended after {LIMIT_S} s")
    return {name: batches[:BATCHES] for name, batches in results.items()}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: jobs.py RESULTS")
    # Each of the few partitions of a query that keeps state has a store, whose files are renamed in each batch.
    spark = SparkSession.builder.appName("Jobs of Python").config("spark.sql.shuffle.partitions", "4").getOrCreate()
    sc, results = spark.sparkContext, {}
    file = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(dir=file.parent) as name:
        directory = Path(name)
        for part, run in {
            "RDDs": lambda: rdds(sc),
            "iterations": lambda: iterations(sc),
            "queries": lambda: queries(spark),
            "streaming query": lambda: streaming_query(spark, directory),
            "DStreams": lambda: dstreams(sc, directory),
        }.items():
            began = time.monotonic()
            results[part] = run()
            print(f"{part}: {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)
    file.write_text(json.dumps(results, indent=1, sort_keys=True))
    spark.stop()


if __name__ == "__main__":
    main()
