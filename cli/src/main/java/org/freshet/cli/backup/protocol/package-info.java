/**
 * What a backup agent and a backup server say to each other over TCP.
 *
 * <p>Both sides send frames: four bytes of length, one byte of {@link
 * org.freshet.cli.backup.protocol.MessageType}, a body. All numbers are big-endian. A connection
 * begins with {@code HELLO} and {@code WELCOME}, which carry the protocol's version; then the agent
 * asks and the server answers. A side that gets what it does not expect says why in {@code ERROR}
 * and closes.
 *
 * <pre>
 * agent                         server
 * HELLO magic, version     ->
 *                          <-   WELCOME magic, version
 *
 * PUT name                 ->
 * OFFER n references       ->   what the image goes on with
 *                          <-   WANT n bits: which of these chunks it lacks
 * CHUNK content            ->   one for each bit set, in order
 * OFFER, CHUNK ...         ->
 * COMMIT id                ->   the SHA-256 of all references
 *                          <-   IMAGE, when it is on the server's disk
 *
 * LIST                     ->
 *                          <-   IMAGE ..., PROBLEM ..., END
 * RESTORE name, sequence   ->
 *                          <-   IMAGE, then (OFFER, CHUNK for each reference) ..., END
 * VERIFY                   ->
 *                          <-   PROBLEM ..., VERIFIED
 * </pre>
 */
package org.freshet.cli.backup.protocol;
