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
/**
 * Candidates searched by native code: {@code libshredder.so}, written in C, which takes the best
 * instructions that the processor has. The library is packed in the jar, one per platform; the
 * build makes it if there is a C compiler.
 *
 * <p>Start at {@link org.freshet.shredder.nativ.NativeBackendProvider}. {@code NativeLibrary} gets
 * the library from the jar into the process, {@code NativeCalls} are its entry points. Only the
 * chunking library's own types and the JDK may be used here.
 *
 * <p>The package must keep its name when jars are shaded: the library's symbols are made of it.
 */
package org.freshet.shredder.nativ;
