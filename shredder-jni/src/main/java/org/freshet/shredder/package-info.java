/**
 * Content-defined chunking: cutting a byte sequence where its content says so, so that an edit
 * moves the cuts near it and no others.
 *
 * <p>Three steps, kept apart. A {@link org.freshet.shredder.CandidateFinder} marks the positions
 * whose preceding bytes look right; it is a pure function of a few bytes, and the one step worth
 * doing on other hardware. A {@link org.freshet.shredder.BoundarySelector} chooses among them by
 * minimum, maximum and record boundaries. What lies between two cuts is digested. {@link
 * org.freshet.shredder.Chunker} drives all three over a source; start reading there. What decides
 * where the cuts are is in {@link org.freshet.shredder.ChunkerConfig}; who searches, in {@link
 * org.freshet.shredder.Backends}.
 *
 * <p>Nothing here knows Hadoop; files come in as a {@link org.freshet.shredder.ByteSource}. The
 * plan is that of P. Bhatotia, R. Rodrigues, A. Verma: "Shredder: GPU-accelerated incremental
 * storage and computation", FAST 2012.
 */
package org.freshet.shredder;
