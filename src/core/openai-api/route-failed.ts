import { AppError } from '../errors.ts';

/** No model of a route answered; the code is that of the last failure. */
export class RouteFailed extends AppError {
  readonly last: AppError;
  constructor(route: string, failures: readonly { model: string; error: AppError }[]) {
    const last = failures.at(-1)?.error ?? new AppError('unavailable', 'There is no model');
    const waits = failures.flatMap(({ error }) => error.retryAfterMs ?? []);
    const reasons = failures.map(({ model, error }) => `${model}: ${error.message}`).join('; ');
    super(last.code, `No model of the route "${route}" answered. ${reasons}`, {
      ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
      isLasting: failures.every(({ error }) => error.isLasting),
    });
    this.last = last;
  }
}
