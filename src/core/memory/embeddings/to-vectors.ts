/** What a provider sent cannot be compared with anything; the message is the end of a sentence about it. */
export class UnfitVectors extends Error {}

/** As many vectors as texts, all of one length, of numbers that can be compared. */
export function toVectors(embeddings: readonly (readonly number[])[], count: number): Float32Array[] {
  if (embeddings.length !== count)
    throw new UnfitVectors(`sent ${embeddings.length} vectors for ${count} texts`);
  const length = embeddings[0]?.length ?? 0;
  return embeddings.map((numbers) => {
    if (numbers.length === 0) throw new UnfitVectors('sent an empty vector');
    if (numbers.length !== length)
      throw new UnfitVectors(`sent vectors of different lengths: ${length} and ${numbers.length}`);
    const vector = Float32Array.from(numbers);
    if (!vector.every(Number.isFinite)) throw new UnfitVectors('sent a vector with numbers that are none');
    if (vector.every((number) => number === 0)) throw new UnfitVectors('sent a vector of zeros');
    return vector;
  });
}
