/** The number of bytes up to the end of the last complete character; bytes that are no UTF-8 count as complete. */
export function completeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The number of bytes at the start that end a character which began before them. */
export function continuationLength(bytes: Uint8Array): number {
  let length = 0;
  while (length < bytes.length && length < 3 && ((bytes[length] ?? 0) & 0xc0) === 0x80) length++;
  return length;
}

export interface TextPiece {
  text: string;
  /** How many bytes the text was; more or fewer than it has now where they were no UTF-8. */
  bytes: number;
}

/** Decodes bytes that come in pieces: a character is decoded once all of its bytes are there. */
export class Utf8Pieces {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): TextPiece {
    const all = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const bytes = completeLength(all);
    // Copied, because the chunk would keep its whole underlying buffer alive.
    this.#rest = Buffer.from(all.subarray(bytes));
    return { text: all.toString('utf8', 0, bytes), bytes };
  }

  /** What is left of an incomplete character. */
  end(): TextPiece {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return { text: rest.toString('utf8'), bytes: rest.length };
  }
}
