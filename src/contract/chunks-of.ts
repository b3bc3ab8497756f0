/** The pieces of a stream as they come; not every browser can iterate one. Leaving it cancels the stream. */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  read: (once: () => Promise<Read>) => Promise<Read> = (once) => once(),
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let isReading = false;
  try {
    for (;;) {
      isReading = true;
      const { value } = await read(() => reader.read());
      isReading = false;
      if (!value) return;
      yield value;
    }
  } finally {
    // A stream that failed has nothing left to cancel.
    if (!isReading) await reader.cancel();
  }
}

interface Read {
  done: boolean;
  value?: Uint8Array | undefined;
}
