import type { Task } from '../../contract/task.ts';

interface Used {
  tokens: number;
  costUsd: number;
}

const nothing: Used = { tokens: 0, costUsd: 0 };

/** Counts what candidates use while they work, over all their attempts. */
export class CandidateUsage {
  readonly #byTask = new Map<string, { before: Used; now: Used }>();

  /** Takes the data of an event of a candidate. */
  add(taskId: string, data: Record<string, unknown>): void {
    const known = this.#byTask.get(taskId) ?? { before: nothing, now: nothing };
    const now = { ...known.now, ...usageIn(data) };
    // An attempt that begins anew counts from the start.
    const isNew = now.tokens < known.now.tokens;
    this.#byTask.set(taskId, isNew ? { before: sum(known.before, known.now), now } : { ...known, now });
  }

  of(taskId: string): Used {
    const { before, now } = this.#byTask.get(taskId) ?? { before: nothing, now: nothing };
    return sum(before, now);
  }

  /** What has reached its limit, as the end of a sentence; undefined where the candidates may continue. */
  spent({ maxBudget, maxCostUsd }: Pick<Task, 'maxBudget' | 'maxCostUsd'>): string | undefined {
    const all = [...this.#byTask.keys()].map((id) => this.of(id)).reduce(sum, nothing);
    if (maxBudget !== undefined && all.tokens >= maxBudget) return `${maxBudget} tokens`;
    if (maxCostUsd !== undefined && all.costUsd >= Number(maxCostUsd)) return `${maxCostUsd} USD`;
    return undefined;
  }
}

const sum = (one: Used, other: Used): Used => ({
  tokens: one.tokens + other.tokens,
  costUsd: one.costUsd + other.costUsd,
});

/** The totals in an event of a run, by `usage` of a program or a step of a model. */
function usageIn({ type, usedTokens, input, output, costUsd }: Record<string, unknown>): Partial<Used> {
  if (type === 'step:complete' && typeof usedTokens === 'number') return { tokens: usedTokens };
  if (type !== 'usage') return {};
  const tokens = numberOf(input) + numberOf(output);
  return { ...(tokens > 0 && { tokens }), ...(typeof costUsd === 'number' && { costUsd }) };
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);
