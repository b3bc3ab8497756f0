const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** The length of a line that is enough to recognize `[DONE]`. */
const PREFIX = 32;
/** What may follow the end before the connection is broken off instead of used again. */
const MAX_REST = 64 * 1024;

const done = /^data: ?\[DONE\]\s*$/;

/**
 * Passes on the server-sent events of a model up to `[DONE]`; what follows does not count. An event that ends one message
 * is no end: vendors send several messages in one stream. All line ends become line feeds, for which the parsers of the packages are linear.
 */
export function upToEnd(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const scanner = new EventScanner();
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const read = await reader.read();
        if (read.done) return controller.close();
        const bytes = scanner.take(read.value);
        if (bytes.length > 0) controller.enqueue(bytes);
        if (scanner.isAtEnd) {
          controller.close();
          skipRest(reader).catch(() => undefined);
          return;
        }
        if (bytes.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** A short rest is read, so that the connection can be used again. */
export async function skipRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let length = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > MAX_REST) return reader.cancel();
  }
}

/** Looks at each byte once. */
class EventScanner {
  isAtEnd = false;
  /** The beginning of the present line. */
  #line = '';
  #hasData = false;
  #endedWithReturn = false;

  /** The bytes up to the end of the last event. */
  take(chunk: Uint8Array): Uint8Array {
    const bytes = this.#withLineFeeds(chunk);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      this.#extend(bytes, start, end);
      this.#endLine();
      start = end + 1;
      if (this.isAtEnd) return bytes.subarray(0, start);
    }
    this.#extend(bytes, start, bytes.length);
    return bytes;
  }

  #extend(bytes: Uint8Array, start: number, end: number): void {
    const room = PREFIX - this.#line.length;
    if (room > 0 && end > start)
      this.#line += Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(room, end - start)).toString(
        'latin1',
      );
  }

  #endLine(): void {
    const line = this.#line.replace(/^\xef\xbb\xbf/, '');
    this.#line = '';
    if (line === '') {
      this.#hasData = false;
      return;
    }
    if (!this.#hasData && done.test(line)) this.isAtEnd = true;
    if (line.startsWith('data')) this.#hasData = true;
  }

  #withLineFeeds(chunk: Uint8Array): Uint8Array {
    const isSplit = this.#endedWithReturn && chunk[0] === LINE_FEED;
    const bytes = isSplit ? chunk.subarray(1) : chunk;
    if (chunk.length > 0) this.#endedWithReturn = chunk.at(-1) === CARRIAGE_RETURN;
    if (!bytes.includes(CARRIAGE_RETURN)) return bytes;
    const plain = new Uint8Array(bytes.length);
    let length = 0;
    for (const [at, byte] of bytes.entries()) {
      if (byte === LINE_FEED && bytes[at - 1] === CARRIAGE_RETURN) continue;
      plain[length++] = byte === CARRIAGE_RETURN ? LINE_FEED : byte;
    }
    return plain.subarray(0, length);
  }
}
