import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/** The position after a page: the values of the columns that the list is sorted by, in their order. */
export type Position = readonly (string | number | null)[];

const MAC_BYTES = 12;

/** Opaque, signed cursors: one that was made up, or that belongs to another query, is refused. */
export class CursorCodec {
  readonly #key: string;
  constructor(key: string) {
    this.#key = key;
  }

  /** `query` is everything that decides which rows are listed and in which order. */
  encode(position: Position, query: unknown): string {
    const payload = Buffer.from(JSON.stringify(position));
    return Buffer.concat([this.#sign(payload, query), payload]).toString('base64url');
  }

  /** `length` is how many columns the list is sorted by. */
  decode(cursor: string, query: unknown, length: number): Position {
    const bytes = Buffer.from(cursor, 'base64url');
    const payload = bytes.subarray(MAC_BYTES);
    const isGenuine =
      bytes.length > MAC_BYTES &&
      // base64url has more than one text for the same bytes; only the one that was given out counts.
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#sign(payload, query));
    const position = isGenuine ? (JSON.parse(payload.toString('utf8')) as Position) : [];
    // A version of svc may sort by other columns than the one that made the cursor.
    if (position.length !== length)
      throw new AppError('validation', 'Validation failed', {
        details: [{ path: 'cursor', message: 'Not a cursor of this list' }],
      });
    return position;
  }

  #sign(payload: Buffer, query: unknown): Buffer {
    const scope = createHash('sha256').update(JSON.stringify(query)).digest();
    return createHmac('sha256', this.#key).update(scope).update(payload).digest().subarray(0, MAC_BYTES);
  }
}
