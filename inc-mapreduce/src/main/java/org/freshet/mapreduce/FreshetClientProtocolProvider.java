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
package org.freshet.mapreduce;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;
import org.freshet.mapreduce.submit.IncrementalClient;

/**
 * The way in: stock {@code Cluster} finds this provider through {@link java.util.ServiceLoader} and
 * takes it where {@code mapreduce.framework.name} is {@code freshet}.
 */
public final class FreshetClientProtocolProvider extends ClientProtocolProvider {
  @Override
  public ClientProtocol create(Configuration conf) throws IOException {
    return FreshetKeys.FRAMEWORK.equals(conf.getTrimmed(MRConfig.FRAMEWORK_NAME))
        ? IncrementalClient.create(conf)
        : null;
  }

  @Override
  public ClientProtocol create(InetSocketAddress address, Configuration conf) throws IOException {
    return create(conf);
  }

  @Override
  public void close(ClientProtocol client) throws IOException {
    IncrementalClient.close(client);
  }
}
