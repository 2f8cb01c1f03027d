/**
 * Benchmarks that compare Freshet with what it replaces, most of all stock Hadoop, on this machine
 * in one run.
 *
 * <p>A {@link org.freshet.cli.bench.Benchmark} measures and returns a {@link
 * org.freshet.cli.bench.BenchReport} of rows; nothing here prints or writes but {@link
 * org.freshet.cli.bench.BenchTable} and the command. Outputs are always compared with stock's: a
 * benchmark of a wrong answer is an error. Start reading at {@link
 * org.freshet.cli.bench.Benchmark}.
 */
package org.freshet.cli.bench;
