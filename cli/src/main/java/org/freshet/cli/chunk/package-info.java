/**
 * What {@code freshet chunk} shows of the chunks of a file. The chunking itself is {@link
 * org.freshet.shredder.Chunker}'s. Start reading at {@link org.freshet.cli.chunk.ChunkListing}.
 */
package org.freshet.cli.chunk;
