/**
 * MapReduce jobs as people write them, in both APIs, that know nothing of Freshet.
 *
 * <p>They show that a job needs no change to run incrementally, and serve as the applications of
 * tests and benchmarks. Start at {@link org.freshet.examples.ExampleDriver}, which names them all.
 * What may not live here: an import of anything but the JDK and Hadoop.
 */
package org.freshet.examples;
