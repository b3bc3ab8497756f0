/** Resolves like `work`, or rejects with an `Error` of the message where that takes longer; the work itself goes on. */
export function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(message)), ms);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
