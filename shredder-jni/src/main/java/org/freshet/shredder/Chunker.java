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
package org.freshet.shredder;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * Cuts a source into chunks and digests each, reading every byte once.
 *
 * <pre>{@code
 * Chunker chunker = new Chunker(ChunkerConfig.withAverage(64 << 10));
 * for (Chunk chunk : chunker.chunk(Path.of("disk.img"))) {
 *   store(chunk.digest(), chunk.offset(), chunk.length());
 * }
 * }</pre>
 *
 * <p>The chunks cover the source from its first byte to its last, in order. No chunk but the last
 * is below the minimum; none is above the maximum but by the rest of the record that crosses it. An
 * empty source has no chunks. For one configuration and content, every form of a source, every
 * backend and every number of threads gives the same chunks.
 *
 * <p>Immutable and safe for use by several threads.
 */
public final class Chunker {
  /*
   * Three steps, the same for all forms:
   *
   *   SegmentSearch      brings the source into memory, segment by segment, and finds the candidates:
   *                      on the calling thread, on an executor's, or as the backend likes
   *   BoundarySelector   selects the cuts from them, in order, on the calling thread
   *   CutSink            passes the cuts on, or digests what lies between them, on the calling thread
   *                      or on an executor's
   *
   * A candidate depends on the window before it alone, so it does not matter how a source is divided.
   */

  /** Sources up to this length, in bytes, are left to one thread. */
  public static final long PARALLEL_ABOVE = 64L << 20;

  /**
   * Bytes of the source kept in front of those being searched, into which windows and record
   * searches look back.
   */
  public static final int HALO =
      Math.max(CandidateRule.MAX_WINDOW, RecordAlignment.MAX_LOOK_BEHIND);

  /**
   * A task of this many bytes takes half a millisecond or more, well above the cost of a hand-over,
   * and has chunks enough for a digester that works on many at once.
   */
  private static final int BATCH_BYTES = 2 << 20;

  private final ChunkerConfig config;
  private final Backend backend;
  private final CandidateFinder finder;
  private final Pieces pieces;

  /** A chunker on the backend that {@link Backends#preferred()} gives. */
  public Chunker(ChunkerConfig config) {
    this(config, Backends.preferred());
  }

  /** A chunker on a backend of one's choice. */
  public Chunker(ChunkerConfig config, Backend backend) {
    this(config, backend, Pieces.of(config, backend.digester(config.digest())));
  }

  Chunker(ChunkerConfig config, Backend backend, Pieces pieces) {
    this.config = config;
    this.backend = backend;
    this.finder = backend.finder(config.rule());
    this.pieces = pieces;
  }

  /**
   * How a source is divided for reading; has no influence on the chunks.
   *
   * @param spanBytes read at a time by one thread
   * @param segmentBytes read at a time by each of several threads
   * @param widths how many chunks may wait for each other, the most first; one more if memory is
   *     short, and so on
   * @param parallelAbove sources up to this length are left to one thread
   */
  record Pieces(int spanBytes, int segmentBytes, List<Width> widths, long parallelAbove) {
    /**
     * So many chunks wait for each other, to be digested together.
     *
     * @param heldBytes of spans and segments are held for that
     */
    record Width(int chunks, int heldBytes) {}

    /*
     * Spans and segments are still in a core's own caches when their chunks are digested: with a segment of
     * 8 MiB that takes a third longer than with 2. They are longer only where chunks are, or where a
     * digester wants many: with a span of few chunks, the library is called for few, and looks at all again that
     * have to wait for others; and a segment has to have whole ones.
     */
    private static final int LEAST_SPAN = 512 << 10;
    private static final int MOST_SPAN = 1 << 20;
    private static final int CHUNKS_IN_SPAN = 64;
    private static final int WIDTHS_IN_SPAN = 4;

    private static final int LEAST_SEGMENT = 1 << 20;
    private static final int MOST_SEGMENT = 4 << 20;
    private static final int CHUNKS_IN_SEGMENT = 4;

    private static final int SMALL_SPAN = 64 << 10;

    /** As many chunks as this wait if memory is short: enough to be worth while. */
    private static final int LEAST_WIDTH = 3;

    /**
     * For each chunk that is digested together with others, so many are held: they have other
     * lengths, and parts of memory hold more than one.
     */
    private static final double HELD_PER_CHUNK = 1.75;

    /**
     * So many chunks more, because one chunk may be as long as these. With three chunks that makes
     * the difference between one byte in eight that is digested alone, and none.
     */
    private static final double HELD_FOR_LONGEST = 4;

    private static final int SHARE_OF_HEAP = 8;
    private static final long MOST_HELD = 1 << 30;

    /** With one width, or fewer if memory is short. */
    Pieces(int spanBytes, int segmentBytes, int width, int heldBytes, long parallelAbove) {
      this(
          spanBytes,
          segmentBytes,
          List.of(new Width(width, heldBytes), new Width(Math.min(width, LEAST_WIDTH), heldBytes)),
          parallelAbove);
    }

    static Pieces of(ChunkerConfig config, ChunkDigester digester) {
      double chunk = config.minSize() + config.rule().meanGap();
      int wanted = digester.width(chunk);
      double chunks = Math.max(CHUNKS_IN_SPAN, WIDTHS_IN_SPAN * wanted);
      double span = Math.min(MOST_SPAN, chunks * chunk);
      double segment = wanted > 1 ? Math.min(MOST_SEGMENT, CHUNKS_IN_SEGMENT * chunk) : 0;
      List<Width> widths = new ArrayList<>();
      for (int width = wanted; width > LEAST_WIDTH; width = digester.narrower(width)) {
        widths.add(new Width(width, held(chunk, width)));
      }
      int least = Math.min(wanted, LEAST_WIDTH);
      widths.add(new Width(least, least > 1 ? held(chunk, least) : 0));
      return new Pieces(
          (int) Math.max(LEAST_SPAN, span),
          (int) Math.max(LEAST_SEGMENT, segment),
          widths,
          PARALLEL_ABOVE);
    }

    /**
     * Bytes to hold so that as many chunks can wait for each other; at most 2 GiB, which is never
     * bearable.
     */
    private static int held(double chunk, int width) {
      return (int) ((HELD_PER_CHUNK * width + HELD_FOR_LONGEST) * chunk);
    }

    /** How much of the heap may be used for one source. */
    private static long bearableBytes() {
      return Math.min(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP, MOST_HELD);
    }

    /**
     * For a short source no more than twice its length, and one of few sizes, so that buffers can
     * be shared.
     */
    int spanBytes(long length) {
      return (int)
          Math.min(
              spanBytes, Math.max(SMALL_SPAN, 2 * Long.highestOneBit(Math.min(length, spanBytes))));
    }

    /** How many chunks wait for each other if one thread digests. */
    int width() {
      return forOneThread().chunks();
    }

    /**
     * How many spans one thread may hold, beside the one that it searches: if possible, twice what
     * it takes in the mean, as all that comes behind a long chunk is held until that has ended.
     */
    int heldSpans() {
      long held = Math.min(2L * forOneThread().heldBytes(), bearableBytes());
      return (int) ((held + spanBytes - 1) / spanBytes);
    }

    /** How many segments several threads use. */
    int segments(int parallelism) {
      return leastSegments(parallelism) + heldSegments(parallelism);
    }

    /** How many of them may be held, unless the heap is small. */
    int heldSegments(int parallelism) {
      long wanted = wantedSegments(forThreads(parallelism), parallelism);
      return (int) Math.max(0, Math.min(wanted, bearableSegments(parallelism)));
    }

    /** How many chunks wait for each other if several threads digest. */
    int width(int parallelism) {
      return forThreads(parallelism).chunks();
    }

    private Width forOneThread() {
      return widest(width -> width.heldBytes() <= bearableBytes());
    }

    /**
     * So that half of the threads can have as many chunks: the others search meanwhile, and all of
     * them with fewer chunks, and forms that are slower, take longer.
     */
    private Width forThreads(int parallelism) {
      int digesting = (parallelism + 1) / 2;
      return widest(width -> wantedSegments(width, digesting) <= bearableSegments(parallelism));
    }

    /** Of those that are bearable; if none is, the least wide. */
    private Width widest(Predicate<Width> isBearable) {
      return widths.stream().filter(isBearable).findFirst().orElse(widths.get(widths.size() - 1));
    }

    private long bearableSegments(int parallelism) {
      return bearableBytes() / segmentBytes - leastSegments(parallelism);
    }

    /** All threads may be digesting at once, which takes longer than searching. */
    private long wantedSegments(Width width, int parallelism) {
      return parallelism * (((long) width.heldBytes() + segmentBytes - 1) / segmentBytes);
    }

    /**
     * For each thread two to search and two to digest, so that it has something to do while the
     * caller, which shares the processor with it, is late; and two that wait for the caller.
     */
    private static int leastSegments(int parallelism) {
      return 4 * parallelism + 2;
    }
  }

  /** What decides where the cuts are. */
  public ChunkerConfig config() {
    return config;
  }

  /** What searches for candidates. */
  public Backend backend() {
    return backend;
  }

  /** The chunks of an array. */
  public List<Chunk> chunk(byte[] bytes) {
    return chunk(ByteBuffer.wrap(bytes));
  }

  /**
   * The chunks of the bytes between a buffer's position and its limit, neither of which is changed.
   * Offsets count from the position.
   *
   * <p>If they are of a file mapped into memory, nobody may shorten that file meanwhile: what is
   * not there any more cannot be read, which ends the whole process in native code and is an {@link
   * InternalError} in Java. {@link #chunk(Path)} reports such a file.
   */
  public List<Chunk> chunk(ByteBuffer bytes) {
    List<Chunk> chunks = new ArrayList<>();
    runInMemory(bytes, digests(chunks::add));
    return Collections.unmodifiableList(chunks);
  }

  /**
   * The chunks of a file, of any length.
   *
   * @throws SourceChangedException if the file's length changes meanwhile
   * @throws IOException if the file cannot be read
   */
  public List<Chunk> chunk(Path file) throws IOException {
    return chunk(ByteSource.of(file));
  }

  /**
   * The chunks of all that is left in a stream, which stays open.
   *
   * @throws IOException if the stream cannot be read
   */
  public List<Chunk> chunk(InputStream in) throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    run(onThisThread(new SourceReader(in), pieces.spanBytes(), false), digests(chunks::add));
    return Collections.unmodifiableList(chunks);
  }

  /**
   * The chunks of a source.
   *
   * @throws SourceChangedException if the source is not as long as it says
   * @throws IOException if the source cannot be read
   */
  public List<Chunk> chunk(ByteSource source) throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    run(search(source), digests(chunks::add));
    return Collections.unmodifiableList(chunks);
  }

  /**
   * The chunks of a source with the help of an executor, if the source is longer than {@link
   * #PARALLEL_ABOVE}: as {@link #chunk(ByteSource, ExecutorService, int, Consumer)}.
   */
  public List<Chunk> chunk(ByteSource source, ExecutorService executor, int parallelism)
      throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    chunk(source, executor, parallelism, chunks::add);
    return Collections.unmodifiableList(chunks);
  }

  /**
   * Finds the chunks of a source with the help of an executor, if the source is longer than {@link
   * #PARALLEL_ABOVE}. Holds up to {@code 4 * parallelism + 2} segments of 1 to 4 MiB in memory, and
   * for each thread what it takes to digest several chunks together: 60 times their average where
   * there are thirty-two lanes, 32 times where there are sixteen, if all is within an eighth of the
   * heap's greatest size. Where the backend prefers that, buffers of up to another thirty-second
   * lie outside the heap. They are kept for the next source until the garbage collector takes them.
   *
   * @param executor reads, searches and digests; the calling thread must not be one of its own, for
   *     it waits for the others
   * @param parallelism how many of its threads to keep busy; 1 leaves all to the calling thread
   * @param chunks is given each chunk, in order, on the calling thread
   * @throws SourceChangedException if the source is not as long as it says
   * @throws java.io.InterruptedIOException if the calling thread is interrupted; it stays so
   * @throws IOException if the source cannot be read
   * @throws IllegalStateException if the executor is shut down before it has done its part
   */
  public void chunk(
      ByteSource source, ExecutorService executor, int parallelism, Consumer<Chunk> chunks)
      throws IOException {
    if (isForOneThread(source, parallelism)) {
      run(search(source), digests(chunks));
    } else {
      SegmentSearch search = search(source, executor, pieces.segments(parallelism));
      ChunkDigests.Holding holding =
          drivesItself() ? new WithinTheSearch(search.mostHeld()) : upTo(parallelism);
      run(search, digests(executor, parallelism, holding, chunks));
    }
  }

  /**
   * Finds the chunks of all that is left in a stream, which stays open. The calling thread reads;
   * an executor searches and digests. Memory and errors as with a source.
   */
  public void chunk(
      InputStream in, ExecutorService executor, int parallelism, Consumer<Chunk> chunks)
      throws IOException {
    checkParallelism(parallelism);
    if (parallelism == 1) {
      run(onThisThread(new SourceReader(in), pieces.spanBytes(), false), digests(chunks));
    } else {
      int segments = pieces.segments(parallelism);
      StreamFeed feed = new StreamFeed(new SourceReader(in), pieces.segmentBytes(), false);
      run(
          new ExecutorSearch(feed, finder, executor, segments),
          digests(executor, parallelism, upTo(parallelism), chunks));
    }
  }

  /**
   * Finds the chunks of the bytes between a buffer's position and its limit, neither of which is
   * changed, with the help of an executor. For a file mapped into memory the same holds as with
   * {@link #chunk(ByteBuffer)}.
   *
   * @param executor searches and digests; the calling thread must not be one of its own
   * @param parallelism how many of its threads to keep busy; 1 leaves all to the calling thread
   * @param chunks is given each chunk, in order, on the calling thread
   * @throws java.io.InterruptedIOException if the calling thread is interrupted; it stays so
   * @throws IllegalStateException if the executor is shut down before it has done its part
   */
  public void chunk(
      ByteBuffer bytes, ExecutorService executor, int parallelism, Consumer<Chunk> chunks)
      throws IOException {
    checkParallelism(parallelism);
    if (parallelism == 1 || bytes.remaining() <= pieces.parallelAbove()) {
      runInMemory(bytes, digests(chunks));
    } else {
      BufferFeed feed = new BufferFeed(bytes, pieces.segmentBytes());
      run(
          new ExecutorSearch(feed, finder, executor, pieces.segments(parallelism)),
          digests(executor, parallelism, upTo(parallelism), chunks));
    }
  }

  /**
   * Where the bytes between a buffer's position and its limit are to be cut, without digests. For a
   * file mapped into memory the same holds as with {@link #chunk(ByteBuffer)}.
   *
   * @param cuts is given the end of each chunk, counted from the buffer's position, ascending
   */
  public void boundaries(ByteBuffer bytes, LongConsumer cuts) {
    runInMemory(bytes, new BoundariesOnly(cuts));
  }

  /** Where an array is to be cut, without digests. */
  public void boundaries(byte[] bytes, LongConsumer cuts) {
    boundaries(ByteBuffer.wrap(bytes), cuts);
  }

  /**
   * Where all that is left in a stream is to be cut, without digests; the stream stays open.
   *
   * @param cuts is given the end of each chunk, counted from where the stream was, ascending
   * @throws IOException if the stream cannot be read
   */
  public void boundaries(InputStream in, LongConsumer cuts) throws IOException {
    run(onThisThread(new SourceReader(in), pieces.spanBytes(), false), new BoundariesOnly(cuts));
  }

  /**
   * Where a file is to be cut, without digests.
   *
   * @param cuts is given the end of each chunk, ascending
   * @throws SourceChangedException if the file's length changes meanwhile
   * @throws IOException if the file cannot be read
   */
  public void boundaries(Path file, LongConsumer cuts) throws IOException {
    boundaries(ByteSource.of(file), cuts);
  }

  /**
   * Where a source is to be cut, without digests.
   *
   * @param cuts is given the end of each chunk, ascending
   * @throws SourceChangedException if the source is not as long as it says
   * @throws IOException if the source cannot be read
   */
  public void boundaries(ByteSource source, LongConsumer cuts) throws IOException {
    run(search(source), new BoundariesOnly(cuts));
  }

  /**
   * Where a source is to be cut, without digests, with the help of an executor: everything else is
   * as with {@link #chunk(ByteSource, ExecutorService, int, Consumer)}.
   *
   * @param cuts is given the end of each chunk, ascending, on the calling thread
   */
  public void boundaries(
      ByteSource source, ExecutorService executor, int parallelism, LongConsumer cuts)
      throws IOException {
    run(
        isForOneThread(source, parallelism)
            ? search(source)
            : search(source, executor, Pieces.leastSegments(parallelism)),
        new BoundariesOnly(cuts));
  }

  /**
   * Cuts a source that is handed over piece by piece.
   *
   * @param chunks is given each chunk, in order, as soon as its end is known
   */
  public ChunkStream stream(Consumer<Chunk> chunks) {
    // Its one span is used again at once.
    return new ChunkStream(config, finder, pieces.spanBytes(), digests(0, chunks));
  }

  /**
   * Cuts a source that is handed over piece by piece, without digests.
   *
   * @param cuts is given the end of each chunk, ascending, as soon as it is known
   */
  public ChunkStream streamBoundaries(LongConsumer cuts) {
    return new ChunkStream(config, finder, pieces.spanBytes(), new BoundariesOnly(cuts));
  }

  /** On the calling thread. */
  private CutSink digests(Consumer<Chunk> chunks) {
    return digests(drivesItself() ? 0 : pieces.heldSpans(), chunks);
  }

  private CutSink digests(int mostHeld, Consumer<Chunk> chunks) {
    // As large a batch as a span allows: what the thread digests now it need not digest later.
    return new ChunkDigests(
        backend.digester(config.digest()),
        pieces.width(),
        Runnable::run,
        Integer.MAX_VALUE,
        held -> held <= mostHeld,
        0,
        chunks);
  }

  private CutSink digests(
      ExecutorService executor,
      int parallelism,
      ChunkDigests.Holding holding,
      Consumer<Chunk> chunks) {
    return new ChunkDigests(
        backend.digester(config.digest()),
        pieces.width(parallelism),
        executor,
        BATCH_BYTES,
        holding,
        0,
        chunks);
  }

  /** Beside those that wait, one that each thread digests. */
  private UpTo upTo(int parallelism) {
    return new UpTo(pieces.heldSegments(parallelism) + parallelism);
  }

  /** On a thread that is none of the executor's. */
  private record UpTo(int most) implements ChunkDigests.Holding {
    @Override
    public boolean mayStay(int held) {
      return held <= most;
    }

    @Override
    public boolean mayWait() {
      return true;
    }
  }

  /**
   * Of a search that has buffers of its own: none is held for chunks to come, or the search would
   * have too few; but digesting goes on beside it in as many as it can do without.
   */
  private record WithinTheSearch(int most) implements ChunkDigests.Holding {
    @Override
    public boolean mayStay(int held) {
      return false;
    }

    @Override
    public boolean isFull(int held) {
      return held > most;
    }
  }

  /** Whether the backend searches with buffers of its own, of which none can be held. */
  private boolean drivesItself() {
    return backend.pipeline().isPresent();
  }

  private boolean isForOneThread(ByteSource source, int parallelism) {
    checkParallelism(parallelism);
    return parallelism == 1 || source.length() <= pieces.parallelAbove();
  }

  private static void checkParallelism(int parallelism) {
    if (parallelism < 1) {
      throw new IllegalArgumentException("parallelism must be at least 1, not " + parallelism);
    }
  }

  private SegmentSearch search(ByteSource source) throws IOException {
    if (backend.pipeline().isPresent()) {
      return backend.pipeline().get().open(source, config.rule());
    }
    SourceReader reader = new SourceReader(source, 0);
    return onThisThread(reader, pieces.spanBytes(source.length()), isForDirect(source));
  }

  private SegmentSearch onThisThread(SourceReader reader, int spanBytes, boolean direct) {
    return new CallerSearch(new StreamFeed(reader, spanBytes, direct), finder);
  }

  private boolean isForDirect(ByteSource source) {
    return backend.prefersDirect() && source.fillsDirectBuffers();
  }

  private SegmentSearch search(ByteSource source, ExecutorService executor, int segments)
      throws IOException {
    if (backend.pipeline().isPresent()) {
      return backend.pipeline().get().open(source, config.rule());
    }
    SourceFeed feed = new SourceFeed(source, pieces.segmentBytes(), isForDirect(source));
    return new ExecutorSearch(feed, finder, executor, segments);
  }

  private void runInMemory(ByteBuffer bytes, CutSink sink) {
    try {
      run(new CallerSearch(new BufferFeed(bytes, pieces.spanBytes()), finder), sink);
    } catch (IOException e) {
      throw new UncheckedIOException("Nothing is read from anywhere", e);
    }
  }

  private void run(SegmentSearch search, CutSink sink) throws IOException {
    // The sink is closed first: until then, other threads may be looking at segments.
    try (search;
        sink) {
      BoundarySelector selector = new BoundarySelector(config);
      long end = 0;
      for (SegmentSearch.Segment segment = search.next();
          segment != null;
          segment = search.next()) {
        end = segment.offset() + segment.to() - segment.from();
        sink.begin(segment);
        selector.accept(
            segment.bytes(),
            segment.from(),
            segment.to(),
            segment.offset(),
            segment.candidates(),
            sink::cut);
        sink.end();
      }
      selector.finish(end, sink::cut);
      sink.finish();
    }
  }
}
