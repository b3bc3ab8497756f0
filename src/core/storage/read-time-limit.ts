import { AppError } from '../errors.ts';

/** A read was stopped because it took too long; the same read takes as long again. */
export class ReadTimeLimit extends AppError {
  readonly limitMs: number;
  constructor(limitMs: number, what = 'This query') {
    super(
      'unavailable',
      `${what} takes longer than ${limitMs / 1000} s. Narrow it down, for example with a status or a time range.`,
      { isLasting: true },
    );
    this.limitMs = limitMs;
  }
}
