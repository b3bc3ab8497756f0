import { readMessage } from './protobuf-reader.ts';

/** How many items the receiver says that it did not take; 0 for an answer that cannot be read, such as an empty one. */
export function rejectedIn(answer: Uint8Array, contentType: string | null): number {
  try {
    const rejected = contentType?.startsWith('application/x-protobuf') ? inProtobuf(answer) : inJson(answer);
    return Number.isFinite(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}

/** The rejected items are the first field of the partial success, which is the first field of the answer. */
function inProtobuf(answer: Uint8Array): number {
  const partialSuccess = readMessage(answer).get(1);
  return partialSuccess instanceof Uint8Array ? Number(readMessage(partialSuccess).get(1) ?? 0) : 0;
}

function inJson(answer: Uint8Array): number {
  const text = Buffer.from(answer).toString('utf8');
  const { partialSuccess } = JSON.parse(text) as { partialSuccess?: Record<string, unknown> };
  return Number(partialSuccess?.['rejectedSpans'] ?? partialSuccess?.['rejectedDataPoints'] ?? 0);
}
