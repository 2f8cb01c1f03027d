/**
 * Launches Hadoop programs as {@code hadoop jar} does, with and without Freshet, and reads what
 * they report.
 *
 * <p>A program runs in a JVM of its own whose class path and site files are exactly what its run
 * calls for; nothing of the command line leaks into it. Start reading at {@link
 * org.freshet.cli.program.ProgramLauncher}.
 */
package org.freshet.cli.program;
