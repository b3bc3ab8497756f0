/** A path that cannot be used. The message names it and is safe to show to people and models. */
export class PathError extends Error {
  override readonly name = 'PathError';
}
