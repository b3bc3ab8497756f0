import type { AgentUsage } from '../driver.ts';
import { type Fields, fieldsOf, numberOf } from './codex-fields.ts';

interface Counts {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
}
const NONE: Counts = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

const combine = (a: Counts, b: Counts, apply: (a: number, b: number) => number): Counts => ({
  inputTokens: apply(a.inputTokens, b.inputTokens),
  outputTokens: apply(a.outputTokens, b.outputTokens),
  cachedInputTokens: apply(a.cachedInputTokens, b.cachedInputTokens),
});
const subtract = (a: Counts, b: Counts) => combine(a, b, (x, y) => Math.max(0, x - y));
const isSame = (a: Counts, b: Counts) => a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;

/** What this process used of the totals that Codex keeps for a thread over all processes. */
export class CodexUsage {
  readonly #threads = new Map<string, { before: Counts; total: Counts }>();

  /**
   * Takes an update: `repeated` is one that only says what was used before, `first` and `continued` say whether the thread began
   * in this process. Undefined where nothing new was used.
   */
  update(
    thread: string,
    usage: Fields,
    kind: 'repeated' | 'first' | 'continued',
  ): { usage: AgentUsage; isStep: boolean } | undefined {
    const total = parseCounts(usage['total']);
    if (!total) return undefined;
    const known = this.#threads.get(thread);
    const before =
      known?.before ??
      (kind === 'repeated'
        ? total
        : kind === 'first'
          ? NONE
          : subtract(total, parseCounts(usage['last']) ?? total));
    const isStep = kind !== 'repeated' && !isSame(total, known?.total ?? before);
    this.#threads.set(thread, { before, total });
    if (kind === 'repeated' || (known && !isStep)) return undefined;
    return { usage: this.#sum(), isStep };
  }

  #sum(): Counts {
    return [...this.#threads.values()].reduce(
      (sum, { before, total }) => combine(sum, subtract(total, before), (x, y) => x + y),
      NONE,
    );
  }
}

function parseCounts(value: unknown): Counts | undefined {
  const fields = fieldsOf(value);
  const [inputTokens, outputTokens] = [numberOf(fields['inputTokens']), numberOf(fields['outputTokens'])];
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, cachedInputTokens: numberOf(fields['cachedInputTokens']) ?? 0 };
}
