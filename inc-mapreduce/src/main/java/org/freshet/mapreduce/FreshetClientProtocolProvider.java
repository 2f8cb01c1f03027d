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
