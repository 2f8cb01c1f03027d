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
package org.freshet.cli.backup;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.freshet.cli.backup.protocol.Frames;
import org.freshet.cli.backup.store.BackupStore;

/**
 * Serves a store to agents on this machine, each on a thread of its own.
 *
 * <p>Listens on the loopback interface only, for it knows no users.
 */
public final class BackupServer implements Closeable {
  /** The port that agents look at if nobody names one. */
  public static final int DEFAULT_PORT = 7464;

  private static final int MAX_AGENTS = 64;
  private static final int IDLE_MILLIS = 600_000;
  private static final int BACKLOG = 128;

  private final BackupStore store;
  private final Consumer<String> log;
  private final ServerSocket listener;
  private final Semaphore places = new Semaphore(MAX_AGENTS);
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "backup-server");
            thread.setDaemon(true);
            return thread;
          });

  private BackupServer(BackupStore store, ServerSocket listener, Consumer<String> log) {
    this.store = store;
    this.listener = listener;
    this.log = log;
  }

  /**
   * Starts to serve.
   *
   * @param store stays the caller's to close, after the server
   * @param port 0 for any that is free
   * @param log is told one line for each image put and for each failure, from several threads
   * @throws IOException if the port is taken
   */
  public static BackupServer start(BackupStore store, int port, Consumer<String> log)
      throws IOException {
    ServerSocket listener = new ServerSocket();
    try {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
    } catch (IOException e) {
      listener.close();
      throw new IOException(
          "port " + port + " cannot be listened on: " + e.getMessage() + "; name another", e);
    }
    BackupServer server = new BackupServer(store, listener, log);
    server.threads.execute(server::accept);
    return server;
  }

  /** The port that it listens on. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Ends every connection. Images that are not committed by now are not. */
  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket connection : connections) {
      connection.close();
    }
    threads.shutdown();
    try {
      // No thread waits for anything but its socket and the disk.
      if (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
        throw new IOException("a connection did not end within a minute");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void accept() {
    while (true) {
      Socket connection;
      try {
        connection = listener.accept();
      } catch (IOException e) {
        if (!listener.isClosed()) {
          log.accept("no longer accepting agents: " + e.getMessage());
        }
        return;
      }
      connections.add(connection);
      boolean room = places.tryAcquire();
      try {
        threads.execute(() -> serve(connection, room));
      } catch (RejectedExecutionException e) {
        // Came in while close() was closing the others.
        end(connection);
        return;
      }
      if (listener.isClosed()) {
        end(connection);
        return;
      }
    }
  }

  private void serve(Socket connection, boolean room) {
    try (Frames frames = new Frames(connection)) {
      connection.setSoTimeout(IDLE_MILLIS);
      if (room) {
        new ServerSession(store, frames, log).run();
      } else {
        frames.refuse(MAX_AGENTS + " agents are connected already; try again later");
      }
    } catch (IOException e) {
      if (!listener.isClosed()) {
        log.accept("a connection ended: " + e.getMessage());
      }
    } finally {
      connections.remove(connection);
      if (room) {
        places.release();
      }
    }
  }

  private void end(Socket connection) {
    connections.remove(connection);
    try {
      connection.close();
    } catch (IOException e) {
      log.accept("a connection could not be closed: " + e.getMessage());
    }
  }
}
