/**
 * What a job's code can see, read from its bytecode and never from running it.
 *
 * <p>Map output is memoized under a name made of a chunk's content. That is right only if the
 * mapper cannot see where its records came from and computes from records and configuration alone.
 * This package decides both, conservatively: {@link org.freshet.mapreduce.analysis.JobCodeAnalyzer}
 * is the way in, {@link org.freshet.mapreduce.analysis.CodeTraits} the answer. Inside, start
 * reading at {@code Reachability}, which visits code; {@code FlowInterpreter} follows values
 * through one method, {@code StaticState} between methods; {@code CacheFlow} proves that the files
 * which code opens are cache files, whose content the lineage knows; {@code CodeScope}, {@code
 * LibraryEffects}, {@code HadoopCalls} and {@code TaskProperties} are the knowledge about code that
 * is not read.
 *
 * <p>What may not live here: anything that loads a class of the job, and anything that acts on the
 * answer.
 */
package org.freshet.mapreduce.analysis;
