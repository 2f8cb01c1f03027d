/**
 * The differential test: random jobs over random inputs, edited at random, run by stock Hadoop and
 * by Freshet, must give the same output and the same counters after every edit. Stock Hadoop is the
 * oracle, nothing else is. {@link org.freshet.it.differential.RandomJob}, {@link
 * org.freshet.it.differential.InputTree} and {@link org.freshet.it.differential.Version} are pure
 * values made from a seed; {@link org.freshet.it.differential.CaseRunner} alone touches the disk.
 * Start reading at {@link org.freshet.it.differential.DifferentialTest}.
 *
 * <p>One case alone: {@code -Dtest=DifferentialTest -Dfreshet.it.seed=S -Dfreshet.it.case=C}.
 */
package org.freshet.it.differential;
