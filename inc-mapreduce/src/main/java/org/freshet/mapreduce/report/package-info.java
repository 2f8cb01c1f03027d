/**
 * What is told to people about jobs: one report for each, written when the job is submitted and
 * read by {@code freshet explain}, and what can be done about a fallback.
 *
 * <p>Decides nothing. What a run left behind is not here but in its manifest and its partition
 * records. Start reading at {@link org.freshet.mapreduce.report.JobReport}.
 */
package org.freshet.mapreduce.report;
