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
package org.freshet.hdfs.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.freshet.hdfs.HdfsKeys;
import org.freshet.shredder.ChunkerConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Indexes on an object store: S3A, and S3Proxy in a process of its own. Only in the profile {@code
 * s3a}, because Amazon's SDK is half a gigabyte.
 */
@EnabledIfSystemProperty(named = S3aIndexTest.JAR, matches = ".+")
class S3aIndexTest {
  static final String JAR = "freshet.test.s3proxy";

  private static final String BUCKET = "bucket";
  private static final int AVERAGE = 1024;

  private static Process server;
  private static FileSystem fs;
  private static Configuration conf;

  private Path file;

  @BeforeAll
  static void start(@TempDir java.nio.file.Path directory) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String endpoint = "http://127.0.0.1:" + port;
    java.nio.file.Path properties = directory.resolve("s3proxy.conf");
    Files.writeString(
        properties,
        """
        s3proxy.authorization=none
        s3proxy.endpoint=%s
        jclouds.provider=transient
        jclouds.identity=identity
        jclouds.credential=credential
        """
            .formatted(endpoint));
    server =
        new ProcessBuilder(
                java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                System.getProperty(JAR),
                "--properties",
                properties.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("s3proxy.log").toFile())
            .start();
    makeBucket(URI.create(endpoint + "/" + BUCKET), directory.resolve("s3proxy.log"));

    conf = new Configuration();
    conf.set("fs.s3a.endpoint", endpoint);
    conf.set("fs.s3a.endpoint.region", "us-east-1");
    conf.setBoolean("fs.s3a.path.style.access", true);
    conf.setBoolean("fs.s3a.connection.ssl.enabled", false);
    conf.set(
        "fs.s3a.aws.credentials.provider",
        "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider");
    conf.set(HdfsKeys.INDEX_DIR.name(), "/indexes");
    conf.setInt(HdfsKeys.CHUNK_AVERAGE.name(), AVERAGE);
    fs = FileSystem.get(URI.create("s3a://" + BUCKET), conf);
  }

  private static void makeBucket(URI bucket, java.nio.file.Path log) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest put =
        HttpRequest.newBuilder(bucket).PUT(HttpRequest.BodyPublishers.noBody()).build();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        HttpResponse<String> response = client.send(put, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return;
      } catch (IOException notYet) {
        assertThat(server.isAlive()).as(Files.readString(log)).isTrue();
        assertThat(System.nanoTime()).as(Files.readString(log)).isLessThan(deadline);
        server.waitFor(100, TimeUnit.MILLISECONDS);
      }
    }
  }

  @AfterAll
  static void stop() throws Exception {
    if (fs != null) {
      fs.close();
    }
    if (server != null) {
      server.destroyForcibly();
      assertThat(server.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @BeforeEach
  void writeFile(TestInfo test) throws IOException {
    file =
        fs.makeQualified(
            new Path("/data/" + test.getTestMethod().orElseThrow().getName() + "/file"));
    write("some text\n".repeat(3000));
  }

  private void write(String text) throws IOException {
    try (OutputStream out = fs.create(file, true)) {
      out.write(text.getBytes(UTF_8));
    }
  }

  private FileIndexer.Outcome index() throws IOException {
    List<FileIndexer.Outcome> outcomes = new ArrayList<>();
    try (FileIndexer indexer = new FileIndexer(conf, 2, read -> {})) {
      indexer.index(List.of(fs.getFileStatus(file)), outcomes::add);
    }
    assertThat(outcomes).hasSize(1);
    assertThat(outcomes.get(0).error()).isEmpty();
    return outcomes.get(0);
  }

  private Optional<NoIndex> reason() throws IOException {
    FileIndexStore.Lookup lookup =
        FileIndexStore.of(conf).lookUp(fs, fs.getFileStatus(file), Optional.empty());
    if (lookup.index().isPresent()) {
      lookup.index().get().close();
    }
    return lookup.reason();
  }

  @Test
  void anIndexCountsForTheContentThatItWasMadeOf() throws IOException {
    assertThat(reason()).contains(NoIndex.ABSENT);
    assertThat(index().reason()).isEmpty();
    assertThat(reason()).isEmpty();
    assertThat(index().known()).isTrue();
    write("some next\n".repeat(3000));
    assertThat(reason()).contains(NoIndex.OTHER_VERSION);
    write("some text\n".repeat(3000));
    assertThat(reason()).as("the same content again").isEmpty();
  }

  @Test
  void aPlannerDoesNotReadWhatIsIndexed(@TempDir java.nio.file.Path store) throws IOException {
    ChunkIndexer planner =
        new ChunkIndexer(conf, new Path(store.toUri()), ChunkerConfig.withAverage(AVERAGE), 2);
    index();
    Map<Path, FileChunks> chunks =
        planner.index(List.of(fs.getFileStatus(file)), ChunkMode.LINES, stats -> {});
    assertThat(chunks.get(file).chunks()).isNotEmpty();
    assertThat(planner.stats().filesRead()).isZero();
    assertThat(planner.stats().bytesReused()).isEqualTo(30_000);
  }

  @Test
  void indexesOfDeletedFilesAreCollected() throws IOException {
    index();
    FileStatus status = fs.getFileStatus(file);
    FileIndexStore store = FileIndexStore.of(conf);
    Path place = store.lookUp(fs, status, Optional.empty()).place();
    assertThat(fs.exists(place)).isTrue();
    fs.delete(file, false);
    store.collect(fs, 2, now -> {});
    assertThat(fs.exists(place)).isFalse();
  }
}
