/**
 * The command line, {@code bin/freshet}: one class per command, each a thin layer that reads
 * options, calls one of the packages below and turns the outcome into text and an exit code.
 *
 * <p>What the commands do lives in {@link org.freshet.cli.cluster} (daemons on this machine),
 * {@link org.freshet.cli.program} (launching a Hadoop program), {@link org.freshet.cli.explain} and
 * {@link org.freshet.cli.memo} (what a memo store tells), {@link org.freshet.cli.docs} (reference
 * pages), {@link org.freshet.cli.bench} and {@link org.freshet.cli.quickstart}. Start reading at
 * {@link org.freshet.cli.FreshetCommand}.
 */
package org.freshet.cli;
