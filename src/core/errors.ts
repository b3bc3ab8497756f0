import type { ErrorDetail } from '../contract/primitives.ts';

/** Every kind of expected failure; each edge translates these once. */
export type ErrorCode =
  | 'validation'
  | 'wrong_state'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'unsupported'
  | 'unavailable'
  | 'storage_full'
  | 'configuration';

/** An expected failure whose message is safe to show to a caller. Anything else that is thrown is a bug. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  /** When trying again may help, where that is known. */
  readonly retryAfterMs: number | undefined;
  /** True where trying again cannot help until a person has changed something. */
  readonly isLasting: boolean;
  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; cause?: unknown; retryAfterMs?: number; isLasting?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterMs = options.retryAfterMs;
    this.isLasting = options.isLasting ?? false;
  }
}

/** The message of anything that can be thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
