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
package org.freshet.shredder.cuda.driver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.freshet.shredder.BackendUnavailableException;

/**
 * Loads JCuda, and the classes here that are bound to it, apart from all others.
 *
 * <p>JCuda would extract its native library to the directory for temporary files, under a fixed
 * name, and load a file that is there already, whoever put it there. A class loader is asked first
 * where a library is, and this one answers with a copy from the class path in a directory that only
 * this user can write to. The copy is removed as soon as it is loaded.
 */
final class JCudaClassLoader extends ClassLoader {
  private static final String JCUDA = "jcuda.";
  private static final String BOUND = JCudaClassLoader.class.getPackageName() + ".jcuda.";
  private static final String DRIVER = BOUND + "JCudaBoundDriver";

  /** Loaded once: a library can be in one class loader of a process only. */
  private static CudaDriver loaded;

  private final Path directory;

  private JCudaClassLoader(ClassLoader parent, Path directory) {
    super(parent);
    this.directory = directory;
  }

  /**
   * The driver of this machine, initialized.
   *
   * @throws BackendUnavailableException if JCuda or the driver is not there
   */
  static synchronized CudaDriver loadDriver() throws BackendUnavailableException {
    if (loaded == null) {
      loaded = load();
    }
    return loaded;
  }

  private static CudaDriver load() throws BackendUnavailableException {
    ClassLoader parent = JCudaClassLoader.class.getClassLoader();
    if (parent.getResource("jcuda/driver/JCudaDriver.class") == null) {
      throw new BackendUnavailableException("org.jcuda:jcuda is not on the class path");
    }
    try {
      Path directory = Files.createTempDirectory("shredder-cuda-").toAbsolutePath();
      try {
        return load(new JCudaClassLoader(parent, directory));
      } finally {
        delete(directory);
      }
    } catch (IOException e) {
      throw new BackendUnavailableException("JCuda's library cannot be extracted: " + e, e);
    }
  }

  private static CudaDriver load(JCudaClassLoader loader) throws BackendUnavailableException {
    try {
      return (CudaDriver) loader.loadClass(DRIVER).getConstructor().newInstance();
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      throw new BackendUnavailableException(reason(cause), cause);
    } catch (ReflectiveOperationException e) {
      throw new BackendUnavailableException("JCuda cannot be used: " + e, e);
    }
  }

  private static String reason(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof CudaCallException) {
      return message;
    }
    if (failure instanceof UnsatisfiedLinkError) {
      return message.contains("libcuda.so")
          ? "no NVIDIA driver (libcuda.so.1)"
          : "JCuda's library cannot be loaded: " + message;
    }
    return "JCuda cannot be used: " + failure;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(JCUDA) && !name.startsWith(BOUND)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    try (InputStream in = getParent().getResourceAsStream(file)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  /** Asked by {@link System#loadLibrary} before any directory is looked into. */
  @Override
  protected String findLibrary(String name) {
    String fileName = System.mapLibraryName(name);
    Path file = directory.resolve(fileName);
    try (InputStream in = getParent().getResourceAsStream("lib/" + fileName)) {
      if (in == null) {
        return null;
      }
      if (!Files.exists(file)) {
        Files.copy(in, file);
      }
      return file.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
