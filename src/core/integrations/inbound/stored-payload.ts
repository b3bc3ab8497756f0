import { promisify } from 'node:util';
import { constants, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';

/** The JSON of a delivery as its entry keeps it: packed, or the text where that is short or was stored by an earlier svc. */
export type StoredPayload = string | Uint8Array;

/** A shorter text fits into the page of its row. */
const LEAST_BYTES = 2048;
/** Handing a shorter one to another thread costs more than packing it. */
const MOST_BYTES_HERE = 64 * 1024;

const options = { level: constants.Z_BEST_SPEED };
const packElsewhere = promisify(deflateRaw);

/** A packed delivery is a tenth of its bytes to write, to sync and to keep. */
export async function packPayload(text: string): Promise<StoredPayload> {
  const bytes = Buffer.from(text);
  if (bytes.length < LEAST_BYTES) return text;
  return bytes.length <= MOST_BYTES_HERE ? deflateRawSync(bytes, options) : packElsewhere(bytes, options);
}

export const unpackPayload = (stored: StoredPayload): string =>
  typeof stored === 'string' ? stored : inflateRawSync(stored).toString('utf8');
