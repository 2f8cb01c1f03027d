/**
 * The first minutes with Freshet: one word count over real text, before and after a release of that
 * text, with stock Hadoop and with Freshet, side by side.
 *
 * <p>It needs no cluster. Start reading at {@link org.freshet.cli.quickstart.Quickstart}.
 */
package org.freshet.cli.quickstart;
