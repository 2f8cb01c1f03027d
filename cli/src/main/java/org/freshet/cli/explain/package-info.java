/**
 * What {@code freshet explain} tells: the report of a job joined with what its run left in the memo
 * store.
 *
 * <p>{@link org.freshet.cli.explain.Explainer} reads, {@link org.freshet.cli.explain.Explanation}
 * is the value, {@link org.freshet.cli.explain.ExplanationText} words it for people. Nothing here
 * changes a store. Start reading at {@code Explanation}.
 */
package org.freshet.cli.explain;
