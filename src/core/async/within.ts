/** Resolves like `work`, or rejects with the error of `late` where that takes longer; the work itself is not stopped. */
export function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => expired.reject(late()), ms);
  return Promise.race([work, expired.promise]).finally(() => clearTimeout(timer));
}
