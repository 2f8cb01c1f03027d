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
package org.freshet.examples;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;

/** A set of user names, written in order so that equal sets are equal bytes. Mutable. */
public final class UserSet implements Writable {

  private final Set<String> users = new TreeSet<>();

  /** Makes an empty set. */
  public UserSet() {}

  /** Makes this the set of one user. */
  void setSingle(String user) {
    users.clear();
    users.add(user);
  }

  void addAll(UserSet other) {
    users.addAll(other.users);
  }

  int size() {
    return users.size();
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeInt(users.size());
    for (String user : users) {
      Text.writeString(out, user);
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    users.clear();
    for (int left = in.readInt(); left > 0; left--) {
      users.add(Text.readString(in));
    }
  }

  @Override
  public String toString() {
    return users.toString();
  }
}
