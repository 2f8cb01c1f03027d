/**
 * MapReduce user code for the tests: mappers, combiners, reducers, partitioners and comparators as
 * people write them, for the old API and the new one. Only Hadoop, Avro and the JDK may be imported
 * here: these classes are packed into the job jars that the tests submit. Every job made of them is
 * deterministic in the sense that its output does not depend on how the input is split nor on the
 * order of the values in a group. Start with {@link org.freshet.it.jobs.NewMappers}.
 */
package org.freshet.it.jobs;
