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
package org.freshet.drizzle.bench

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.trino.tpch.{TpchColumn, TpchColumnType, TpchEntity, TpchTable}

import org.apache.spark.sql.{Encoders, SparkSession}

/** The tables of the TPC-H benchmark, as its data generator makes them, in Parquet files. */
private[bench] object SqlTables {

  /** Makes those that are not in the directory, and opens all as views of their names.
    *
    * @param scale 1 is a gigabyte of text
    */
  def open(spark: SparkSession, directory: Path, scale: Double): Unit =
    TpchTable.getTables.asScala.foreach { table =>
      val files = directory.resolve(table.getTableName)
      // Spark writes it when all else is there.
      if (!Files.exists(files.resolve("_SUCCESS"))) {
        write(spark, table.getTableName, scale, files)
      }
      spark.read.parquet(files.toUri.toString).createOrReplaceTempView(table.getTableName)
    }

  private def write(spark: SparkSession, name: String, scale: Double, to: Path): Unit = {
    val parts = if (Small(name)) 1 else Parts
    val lines = spark.sparkContext.parallelize(1 to parts, parts).flatMap { part =>
      rows(name).createGenerator(scale, part, parts).asScala.iterator.map(_.toLine)
    }
    spark.read
      .schema(rows(name).getColumns.asScala.map(column).mkString(", "))
      .option("sep", "|")
      .csv(spark.createDataset(lines)(Encoders.STRING))
      .write
      .mode("overwrite")
      .parquet(to.toUri.toString)
  }

  private def rows(name: String): TpchTable[TpchEntity] =
    TpchTable.getTable(name).asInstanceOf[TpchTable[TpchEntity]]

  private def column(of: TpchColumn[TpchEntity]): String = {
    val kind = of.getType.getBase match {
      case TpchColumnType.Base.IDENTIFIER => "BIGINT"
      case TpchColumnType.Base.INTEGER    => "INT"
      case TpchColumnType.Base.DATE       => "DATE"
      case TpchColumnType.Base.DOUBLE     => "DECIMAL(12,2)"
      case TpchColumnType.Base.VARCHAR    => "STRING"
    }
    s"${of.getColumnName} $kind"
  }

  /** Their size is the same at any scale. */
  private val Small = Set("nation", "region")
  private val Parts = 4
}
