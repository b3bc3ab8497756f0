/**
 * Why a comment could not be written. After `unauthorized`, `refused`, `missing` and `limited` it is certain that nothing
 * was written; after `transient` the comment may exist nevertheless.
 */
export type CommentFault = 'unauthorized' | 'refused' | 'missing' | 'limited' | 'transient';

/** A comment that could not be written. The message contains nothing that was sent or received. */
export class CommentFailure extends Error {
  override readonly name = 'CommentFailure';
  readonly fault: CommentFault;
  /** Milliseconds that the vendor asks us to wait. */
  readonly waitMs: number | undefined;
  constructor(fault: CommentFault, message: string, options: { waitMs?: number | undefined } = {}) {
    super(message);
    this.fault = fault;
    this.waitMs = options.waitMs;
  }
}
