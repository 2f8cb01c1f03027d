/** Laws on how the code is laid out: which module may use which, and what the shipped jar holds. */
package org.freshet.it.layout;
