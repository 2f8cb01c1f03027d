/**
 * Jobs over files of every format that is cut into chunks, by Freshet and by stock Hadoop: after an
 * edit only what changed is mapped, and the output is that of stock.
 */
package org.freshet.it.formats;
