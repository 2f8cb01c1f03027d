/**
 * What goes wrong: tasks, jobs, daemons, disks, and people who change things between two runs. Each
 * test ends in stock Hadoop's output or a clear error, and with a next run that is right as well.
 * Start with {@link org.freshet.it.faults.FragileJob}.
 */
package org.freshet.it.faults;
