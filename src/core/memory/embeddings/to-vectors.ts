/** The provider returned unusable vectors. The message completes a sentence that starts with the provider's name. */
export class InvalidVectors extends Error {}

/** Checks that there is one valid vector per text and that all have the same length. */
export function toVectors(embeddings: readonly (readonly number[])[], count: number): Float32Array[] {
  if (embeddings.length !== count)
    throw new InvalidVectors(`sent ${embeddings.length} vectors for ${count} texts`);
  const length = embeddings[0]?.length ?? 0;
  return embeddings.map((numbers) => {
    if (numbers.length === 0) throw new InvalidVectors('sent an empty vector');
    if (numbers.length !== length)
      throw new InvalidVectors(`sent vectors of different lengths: ${length} and ${numbers.length}`);
    const vector = Float32Array.from(numbers);
    if (!vector.every(Number.isFinite)) throw new InvalidVectors('sent a vector with invalid numbers');
    if (vector.every((number) => number === 0)) throw new InvalidVectors('sent a vector of zeros');
    return vector;
  });
}
