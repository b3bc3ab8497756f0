/** The normalized vector; undefined for zeros or invalid numbers. */
export function toUnitVector(values: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const value of values) squares += value * value;
  const length = Math.sqrt(squares);
  return length > 0 && Number.isFinite(length) ? values.map((value) => value / length) : undefined;
}

export const toBlob = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

export const toFloats = (blob: Uint8Array): Float32Array =>
  new Float32Array(blob.buffer, blob.byteOffset, blob.byteLength / 4);
