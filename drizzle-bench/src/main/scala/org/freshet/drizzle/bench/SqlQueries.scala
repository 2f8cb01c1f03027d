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

import java.nio.file.Path

import scala.io.Source
import scala.util.hashing.MurmurHash3

import org.apache.spark.sql.SparkSession

/** Questions of the TPC-H benchmark to its tables, for those who run SQL in batches. Prints a line for each query with
  * a hash of its result, and waits for requests on its standard input: `query` to run all of them, `left` to have Freshet
  * leave their jobs to Spark's own scheduler. To each, it prints a line for each query that begins with the request,
  * with its name and milliseconds. `waiting` says that the next request may come.
  *
  * TPC Benchmark H, Standard Specification, revision 3.0, chapter 2.4; the numbers are its.
  */
object SqlQueries {

  /** @param arguments
    *   the tables' directory, where they are made if they are not there; their scale
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(directory, scale) =>
      val sc = Applications.start("SQL queries")
      try {
        val spark = SparkSession.builder().getOrCreate()
        SqlTables.open(spark, Path.of(directory), scale.toDouble)
        Queries.foreach { case (name, query) =>
          val rows = spark.sql(query).collect().map(_.toString)
          println(s"result\t$name\t${rows.length}\t${MurmurHash3.arrayHash(rows)}")
        }
        def run(way: Way)(measured: (String, Double) => Unit): Unit = {
          sc.setLocalProperty("spark.freshet.drizzle.enabled", way.isEnabled.toString)
          Queries.foreach { case (name, query) =>
            val begin = System.nanoTime()
            spark.sql(query).collect()
            measured(name, (System.nanoTime() - begin) / 1e6)
          }
        }
        Applications.warmUp(sc)(Ways.foreach(run(_)((_, _) => ())))
        println("waiting")
        Source.stdin.getLines().foreach { request =>
          val way = Ways
            .find(_.word == request)
            .getOrElse(sys.error(s"$request is asked for, expected query or left"))
          run(way)((name, ms) => println(f"${way.word}\t$name\t$ms%.3f"))
          println("waiting")
        }
      } finally sc.stop()
    case _ =>
      System.err.println("Usage: SqlQueries DIRECTORY SCALE")
      sys.exit(2)
  }

  /** @param word that asks for it, and that its lines begin with
    * @param isEnabled whether Freshet may send the jobs, if it is there
    */
  private final class Way(val word: String, val isEnabled: Boolean)
  private val Ways = Seq(new Way("query", true), new Way("left", false))

  private val Queries = Seq(
    "Q1" ->
      """select l_returnflag, l_linestatus, count(*) orders, sum(l_quantity), sum(l_extendedprice) base,
        |  sum(l_extendedprice * (1 - l_discount)) discounted,
        |  sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) charged,
        |  avg(l_quantity), avg(l_extendedprice), avg(l_discount)
        |from lineitem where l_shipdate <= date'1998-12-01' - interval 90 days
        |group by l_returnflag, l_linestatus order by l_returnflag, l_linestatus""",
    "Q3" ->
      """select o_orderkey, o_orderdate, o_shippriority, sum(l_extendedprice * (1 - l_discount)) revenue
        |from customer
        |join orders on c_custkey = o_custkey
        |join lineitem on o_orderkey = l_orderkey
        |where c_mktsegment = 'BUILDING' and o_orderdate < date'1995-03-15' and l_shipdate > date'1995-03-15'
        |group by o_orderkey, o_orderdate, o_shippriority
        |order by revenue desc, o_orderdate, o_orderkey limit 10""",
    "Q4" ->
      """select o_orderpriority, count(*) late from orders
        |where o_orderdate >= date'1993-07-01' and o_orderdate < date'1993-10-01'
        |and exists (select 1 from lineitem where l_orderkey = o_orderkey and l_commitdate < l_receiptdate)
        |group by o_orderpriority order by o_orderpriority""",
    "Q5" ->
      """select n_name, sum(l_extendedprice * (1 - l_discount)) revenue
        |from customer
        |join orders on c_custkey = o_custkey
        |join lineitem on l_orderkey = o_orderkey
        |join supplier on l_suppkey = s_suppkey and c_nationkey = s_nationkey
        |join nation on s_nationkey = n_nationkey
        |join region on n_regionkey = r_regionkey
        |where r_name = 'ASIA' and o_orderdate >= date'1994-01-01' and o_orderdate < date'1995-01-01'
        |group by n_name order by revenue desc, n_name""",
    "Q6" ->
      """select sum(l_extendedprice * l_discount) more from lineitem
        |where l_shipdate >= date'1994-01-01' and l_shipdate < date'1995-01-01'
        |and l_discount between 0.05 and 0.07 and l_quantity < 24""",
    "Q10" ->
      """select c_custkey, c_name, n_name, sum(l_extendedprice * (1 - l_discount)) lost, c_acctbal
        |from customer
        |join orders on c_custkey = o_custkey
        |join lineitem on l_orderkey = o_orderkey
        |join nation on c_nationkey = n_nationkey
        |where o_orderdate >= date'1993-10-01' and o_orderdate < date'1994-01-01' and l_returnflag = 'R'
        |group by c_custkey, c_name, c_acctbal, n_name order by lost desc, c_custkey limit 20""",
    "Q12" ->
      """select l_shipmode,
        |  count_if(o_orderpriority in ('1-URGENT', '2-HIGH')) urgent,
        |  count_if(o_orderpriority not in ('1-URGENT', '2-HIGH')) others
        |from orders join lineitem on o_orderkey = l_orderkey
        |where l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate and l_shipdate < l_commitdate
        |and l_receiptdate >= date'1994-01-01' and l_receiptdate < date'1995-01-01'
        |group by l_shipmode order by l_shipmode""",
    "Q13" ->
      """select placed, count(*) customers from (
        |  select c_custkey, count(o_orderkey) placed from customer
        |  left join orders on c_custkey = o_custkey and o_comment not like '%special%requests%'
        |  group by c_custkey)
        |group by placed order by customers desc, placed desc""",
    "Q14" ->
      """select 100 * sum(if(p_type like 'PROMO%', l_extendedprice * (1 - l_discount), 0)) /
        |  sum(l_extendedprice * (1 - l_discount)) promoted
        |from lineitem join part on l_partkey = p_partkey
        |where l_shipdate >= date'1995-09-01' and l_shipdate < date'1995-10-01'""",
    "Q18" ->
      """select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity)
        |from customer
        |join orders on c_custkey = o_custkey
        |join lineitem on o_orderkey = l_orderkey
        |where o_orderkey in (select l_orderkey from lineitem group by l_orderkey having sum(l_quantity) > 300)
        |group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
        |order by o_totalprice desc, o_orderdate, o_orderkey limit 100""",
    "Q22" ->
      """select code, count(*) customers, sum(c_acctbal) total from (
        |  select substring(c_phone, 1, 2) code, c_acctbal, c_custkey from customer)
        |where code in ('13', '31', '23', '29', '30', '18', '17')
        |and c_acctbal > (select avg(c_acctbal) from customer
        |  where c_acctbal > 0 and substring(c_phone, 1, 2) in ('13', '31', '23', '29', '30', '18', '17'))
        |and not exists (select 1 from orders where o_custkey = c_custkey)
        |group by code order by code"""
  ).map { case (name, query) => name -> query.stripMargin }
}
