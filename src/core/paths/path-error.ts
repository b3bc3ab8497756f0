/** A path that cannot be used; the message names it and is safe to show to a person or a model. */
export class PathError extends Error {
  override readonly name = 'PathError';
}
