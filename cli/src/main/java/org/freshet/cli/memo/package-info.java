/**
 * What the {@code freshet memo} commands tell of a memo store. Reads only; what a store does lives
 * in {@link org.freshet.memo}. Start reading at {@link org.freshet.cli.memo.StoreUse}.
 */
package org.freshet.cli.memo;
