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
package org.freshet.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Asks the daemons themselves how they do, through the web interfaces that stock Hadoop has for it:
 * the NameNode's JMX servlet, the REST interfaces of ResourceManager and history server.
 *
 * <p>Each question is answered with a sentence: empty when all is well, else what is still missing.
 */
final class ClusterHealth {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ClusterState state;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(LIMIT)
          .proxy(HttpClient.Builder.NO_PROXY)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  ClusterHealth(ClusterState state) {
    this.state = state;
  }

  /** What HDFS lacks until it is out of safe mode with every DataNode live. */
  String hdfs() throws InterruptedException {
    JsonNode bean =
        get(Ports.NAMENODE_WEB, "/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState")
            .path("beans")
            .path(0);
    if (bean.isMissingNode()) {
      return "the NameNode does not answer yet";
    }
    int live = bean.path("NumLiveDataNodes").asInt();
    int wanted = state.options().dataNodes();
    if (live < wanted) {
      return live + " of " + wanted + " DataNodes are live";
    }
    String mode = bean.path("FSState").asText();
    return mode.equals("Operational") ? "" : "the NameNode is in state '" + mode + "'";
  }

  /** What YARN lacks until every NodeManager is running. */
  String yarn() throws InterruptedException {
    JsonNode metrics = get(Ports.RM_WEB, "/ws/v1/cluster/metrics").path("clusterMetrics");
    if (metrics.isMissingNode()) {
      return "the ResourceManager does not answer yet";
    }
    int active = metrics.path("activeNodes").asInt();
    int wanted = state.options().nodeManagers();
    return active >= wanted ? "" : active + " of " + wanted + " NodeManagers are running";
  }

  /** What the history server lacks until it answers. */
  String history() throws InterruptedException {
    return get(Ports.HISTORY_WEB, "/ws/v1/history/info").path("historyInfo").isMissingNode()
        ? "the history server does not answer yet"
        : "";
  }

  /** What Spark lacks until every worker is registered. */
  String spark() throws InterruptedException {
    JsonNode master = get(Ports.SPARK_MASTER_WEB, "/json/");
    if (master.isMissingNode()) {
      return "the Spark master does not answer yet";
    }
    int alive = master.path("aliveworkers").asInt();
    int wanted = state.options().sparkWorkers();
    return alive >= wanted ? "" : alive + " of " + wanted + " Spark workers are registered";
  }

  /** What Spark's history server lacks until it answers. */
  String sparkHistory() throws InterruptedException {
    return get(Ports.SPARK_HISTORY_WEB, "/api/v1/applications").isMissingNode()
        ? "Spark's history server does not answer yet"
        : "";
  }

  /** The answer as JSON; a missing node while there is none. */
  private JsonNode get(String port, String path) throws InterruptedException {
    URI uri = URI.create("http://localhost:" + state.port(port) + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).timeout(LIMIT).header("Accept", "application/json").build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      return response.statusCode() == 200 ? JSON.readTree(response.body()) : JSON.missingNode();
    } catch (IOException notYet) {
      return JSON.missingNode();
    }
  }
}
