/**
 * Contraction trees: how a sequence of values is combined so that, when the sequence changes a
 * little, little is combined again.
 *
 * <p>Here live the shapes of the trees (pure functions from leaf digests to nodes) and an evaluator
 * for plain Java objects. Nothing here knows Hadoop, Spark, files or threads: whoever stores runs
 * or partitions as tree nodes takes a {@link org.freshet.slider.TreeShape} and does the combining
 * on its own.
 *
 * <p>Start with {@link org.freshet.slider.ContentGroupedTree}, then {@link
 * org.freshet.slider.TreeShape}; {@link org.freshet.slider.ContentGroupedContraction} is the
 * smallest complete user of both. The sources are P. Bhatotia et al., "Incoop: MapReduce for
 * incremental computations", SoCC 2011, and "Slider: incremental sliding window analytics",
 * Middleware 2014.
 */
package org.freshet.slider;
