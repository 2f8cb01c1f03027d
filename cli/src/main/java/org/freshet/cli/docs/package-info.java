/**
 * Reference pages of the manual, made from what the code declares. A test compares each with the
 * page in {@code docs/}. Start reading at {@link org.freshet.cli.docs.ConfigurationReference}.
 */
package org.freshet.cli.docs;
