import type { AgentUsage } from '../agents/drivers/driver.ts';
import { AgentFailure } from '../agents/agent-adapter.ts';
import { formatUsd } from '../text/format-usd.ts';

export interface ProgramLimits {
  /** Input and output together. */
  tokens: number | undefined;
  costUsd: number | undefined;
  steps: number | undefined;
}

/** At this part of a limit, people are warned. */
const WARNING = 0.8;

/** Watches what a run uses against its limits; it can exceed them by what the agent reports at once. */
export class ProgramBudget {
  readonly #limits: ProgramLimits;
  readonly #onWarning: (message: string) => void;
  #isWarned = false;
  #isSpent = false;

  constructor(limits: ProgramLimits, onWarning: (message: string) => void) {
    this.#limits = limits;
    this.#onWarning = onWarning;
  }

  /** The failure of a run that has reached a limit, once; undefined where it may continue. */
  check(usage: AgentUsage, steps: number): AgentFailure | undefined {
    if (this.#isSpent) return undefined;
    for (const { used, limit, what, code } of this.#shares(usage, steps)) {
      if (limit === undefined || used < limit * WARNING) continue;
      if (used < limit) {
        if (!this.#isWarned) this.#onWarning(`The run has used ${what(used)} of ${what(limit)}`);
        this.#isWarned = true;
        continue;
      }
      this.#isSpent = true;
      return new AgentFailure('budget', code, `The run was stopped at its limit of ${what(limit)}`, {
        isFinal: true,
      });
    }
    return undefined;
  }

  #shares({ inputTokens = 0, outputTokens = 0, costUsd = 0 }: AgentUsage, steps: number) {
    const { tokens, costUsd: cost, steps: most } = this.#limits;
    return [
      {
        used: inputTokens + outputTokens,
        limit: tokens,
        what: (count: number) => `${count} tokens`,
        code: 'max_tokens',
      },
      { used: costUsd, limit: cost, what: (usd: number) => `${formatUsd(usd)} USD`, code: 'max_cost' },
      // The next step would be one too many.
      {
        used: steps - 1,
        limit: most,
        what: (count: number) => (count === 1 ? '1 step' : `${count} steps`),
        code: 'max_steps',
      },
    ];
  }
}
