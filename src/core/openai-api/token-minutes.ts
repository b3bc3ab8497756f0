import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { RateLimits } from '../limits/rate-limits.ts';

const MINUTE_MS = 60_000;
const NAME = 'model tokens';

/** What is left of the minute while a call answers. */
export interface TokenMinute {
  /** Throws once the tokens of the minute are used up. */
  check(): void;
  /** Counts tokens, and learns what other calls have used meanwhile. */
  count(tokens: number, reportBug: (error: unknown) => void): void;
}

/** The tokens that API tokens use in a minute, over all their calls. */
export class TokenMinutes {
  readonly #limits: Pick<RateLimits, 'check' | 'add' | 'left'>;
  constructor(limits: Pick<RateLimits, 'check' | 'add' | 'left'>) {
    this.#limits = limits;
  }

  /** Throws where nothing is left; undefined where the caller has no such cap. */
  async begin({ token }: Caller): Promise<TokenMinute | undefined> {
    const { tokensPerMinute: max, id } = token ?? {};
    if (max === undefined || id === undefined) return undefined;
    const message = `This token may use ${max} tokens of models per minute. Try again later.`;
    const limit = { max, windowMs: MINUTE_MS, message };
    await this.#limits.check(NAME, id, limit);
    let left = await this.#limits.left(NAME, id, limit);
    return {
      check: () => {
        if (left <= 0) throw new AppError('rate_limited', message, { retryAfterMs: MINUTE_MS });
      },
      count: (tokens, reportBug) => {
        if (tokens <= 0) return;
        left -= tokens;
        this.#limits
          .add(NAME, id, limit, tokens)
          .then(async () => {
            left = await this.#limits.left(NAME, id, limit);
          })
          .catch(reportBug);
      },
    };
  }
}
