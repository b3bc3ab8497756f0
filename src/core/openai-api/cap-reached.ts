import { AppError } from '../errors.ts';

/** A budget of the caller is used up: trying again does not help before it is reset. */
export class CapReached extends AppError {
  constructor(message: string, retryAfterMs: number | undefined) {
    super('rate_limited', message, {
      isLasting: true,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
}
