/**
 * Work that many ask for at once, in rounds: who asks while a round is under way gets the next, which may find what came
 * after the first had looked, and shares it with all who ask until it begins. Rejects as its round does.
 */
export function inRounds(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = () => {
    next = undefined;
    return (current ??= work().finally(() => (current = undefined)));
  };
  return () => (current ? (next ??= current.then(begin, begin)) : begin());
}
