package org.freshet.mapreduce.plan;

/**
 * What a leaf's name must say besides the content of its chunk, from what the mapper can see of where
 * its records came from.
 */
public enum LeafNaming {
  /** Content alone: the mapper can't see where its records came from. */
  CONTENT,
  /** Also file and offset: the mapper sees the offset key or the file's name. */
  PLACE,
  /** The original splits with their files: the mapper sees its split. */
  SPLIT
}
