/**
 * {@code freshet bench chunking}: how fast sources are cut, on each backend and beside published
 * chunkers, and how much of an edited text is recognized.
 *
 * <p>Java and, through Java, native code are measured by JMH in JVMs of their own; the classes
 * whose names end in {@code Speed} are its benchmarks. Peers are a Rust program that Cargo builds,
 * where there is one. JMH is a dependency of the command line alone. Start reading at {@link
 * org.freshet.cli.bench.chunking.ChunkingBenchmark}.
 */
package org.freshet.cli.bench.chunking;
