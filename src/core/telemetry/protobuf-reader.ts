const fixedSizes: Record<number, number> = { 1: 8, 5: 4 };

/** The fields of a message in Protocol Buffers by their numbers, the last of each; throws for what is no message. */
export function readMessage(bytes: Uint8Array): Map<number, bigint | Uint8Array> {
  const fields = new Map<number, bigint | Uint8Array>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new RangeError('Not a message of Protocol Buffers');
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wireType = tag & 7;
    if (wireType === 0) fields.set(tag >> 3, varint());
    else {
      const size = wireType === 2 ? Number(varint()) : (fixedSizes[wireType] ?? Number.NaN);
      if (!(size >= 0 && at + size <= bytes.length))
        throw new RangeError('Not a message of Protocol Buffers');
      fields.set(tag >> 3, bytes.subarray(at, at + size));
      at += size;
    }
  }
  return fields;
}
