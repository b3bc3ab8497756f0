import type { UsageRecord, UsedBy } from './usage-record.ts';

/** What a run used so far, in all, as its agent reports it. */
export interface ReportedUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number | undefined;
  /** Undefined as long as it is not known. */
  costUsd?: number | undefined;
  /** Empty where the agent does not say. */
  model?: string | undefined;
}

const NOTHING = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: undefined };

/**
 * Turns the totals that an agent reports into records of what is new. A total that is lower than the one before it begins
 * again from zero, as that of another process does. Each report with new tokens counts as a call; its cost is unknown until a total
 * names one.
 */
export class RunUsage {
  readonly #usedBy: UsedBy;
  readonly #record: (record: UsageRecord) => void;
  #before: ReportedUsage = NOTHING;
  /** Calls since the cost was last known. */
  #unknownCalls = 0;

  constructor(usedBy: UsedBy, record: (record: UsageRecord) => void) {
    this.#usedBy = usedBy;
    this.#record = record;
  }

  /** Whether nothing was reported yet. */
  get isEmpty(): boolean {
    return this.#before === NOTHING;
  }

  report(total: ReportedUsage): void {
    const tokens = tokensOf(total);
    if (tokens < tokensOf(this.#before)) this.#restart();
    const before = this.#before;
    const hasNewTokens = tokens > tokensOf(before);
    const hasNewCost = total.costUsd !== undefined && total.costUsd > (before.costUsd ?? 0);
    if (!hasNewTokens && !hasNewCost) return;
    this.#before = { ...total, costUsd: total.costUsd ?? before.costUsd };
    const calls = hasNewTokens ? 1 : 0;
    const unknownBefore = this.#unknownCalls;
    this.#unknownCalls = hasNewCost ? 0 : unknownBefore + calls;
    this.#record({
      usedBy: this.#usedBy,
      provider: '',
      model: total.model ?? '',
      inputTokens: Math.max(0, total.inputTokens - before.inputTokens),
      outputTokens: Math.max(0, total.outputTokens - before.outputTokens),
      cachedTokens: Math.max(0, (total.cachedTokens ?? 0) - (before.cachedTokens ?? 0)),
      calls,
      costUsd: hasNewCost ? (total.costUsd ?? 0) - (before.costUsd ?? 0) : undefined,
      unknownCalls: this.#unknownCalls - unknownBefore,
    });
  }

  #restart(): void {
    this.#before = NOTHING;
    this.#unknownCalls = 0;
  }
}

const tokensOf = ({ inputTokens, outputTokens }: ReportedUsage): number => inputTokens + outputTokens;
