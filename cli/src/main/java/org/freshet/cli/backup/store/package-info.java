/**
 * A store of chunks and of the images made of them, in a directory.
 *
 * <p>Packs hold chunks, one after the other; each has an index. Images hold references to chunks. A
 * file is written by one server process and never again after it: recovery reads, and starts new
 * files. So whatever instant a process is killed at, what was committed before stays as it was.
 * Start reading at {@link org.freshet.cli.backup.store.ChunkStore}.
 */
package org.freshet.cli.backup.store;
