/**
 * Why a comment could not be written. `unauthorized`, `refused`, `missing` and `limited` are answers, after which nothing
 * was written for sure; `transient` may have been written all the same.
 */
export type CommentFault = 'unauthorized' | 'refused' | 'missing' | 'limited' | 'transient';

/** A comment that could not be written; its message holds nothing of what was sent or received. */
export class CommentFailure extends Error {
  override readonly name = 'CommentFailure';
  readonly fault: CommentFault;
  /** Milliseconds for which the vendor wants to be left alone. */
  readonly waitMs: number | undefined;
  constructor(fault: CommentFault, message: string, options: { waitMs?: number | undefined } = {}) {
    super(message);
    this.fault = fault;
    this.waitMs = options.waitMs;
  }
}
