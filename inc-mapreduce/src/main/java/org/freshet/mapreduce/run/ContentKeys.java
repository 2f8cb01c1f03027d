/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package org.freshet.mapreduce.run;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.freshet.slider.Digest;

/**
 * Names a combine by what goes into it. A node whose children are new but hold what older runs held
 * has the key of the older node: early cut-off.
 */
public final class ContentKeys {
  private static final byte[] NODE = "freshet node content 1".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] REDUCE = "freshet reduce input 1".getBytes(StandardCharsets.US_ASCII);

  private ContentKeys() {}

  /** Key of the combine of runs with these contents. */
  public static Digest node(List<Digest> contents) {
    return over(NODE, contents);
  }

  /** Key of the reduce whose merge reads runs with these contents. */
  public static Digest reduce(List<Digest> contents) {
    return over(REDUCE, contents);
  }

  private static Digest over(byte[] domain, List<Digest> contents) {
    MessageDigest sha = Digest.newSha256();
    sha.update(domain);
    for (Digest content : contents) {
      content.update(sha);
    }
    return Digest.finish(sha);
  }
}
