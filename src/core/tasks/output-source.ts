/** One stream of what a task printed or said, as it is now. */
export interface OutputSource {
  /** The number of its bytes. */
  size: number;
  /** Identifies the bytes; undefined while more may follow. */
  tag: string | undefined;
  /** The bytes from `start` up to `end`, in pieces; rejects where they are gone. */
  read(start: number, end: number): AsyncIterable<Buffer>;
}

/** A text that is in memory anyway. */
export function textSource(text: string, tag: string | undefined): OutputSource {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    tag,
    async *read(start, end) {
      if (start < end) yield bytes.subarray(start, end);
    },
  };
}
