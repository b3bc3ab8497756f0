import type { TaskEvent } from '../../../contract/task.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { formatTokens } from '../../output/format-tokens.ts';
import { fitText, textWidth } from '../../output/text-width.ts';

interface Line {
  name: string;
  state: string;
  tokens?: number;
}

/** What the candidates of a task do, one line for each, in the order of their numbers. */
export class CandidateLines {
  readonly #lines = new Map<number, Line>();

  /** Whether the event is about a candidate. */
  add({ type, data }: TaskEvent): boolean {
    const { candidate } = data;
    if (
      type !== 'progress' ||
      typeof candidate !== 'object' ||
      candidate === null ||
      Array.isArray(candidate)
    )
      return false;
    const { number, agent, state, tokens } = candidate;
    if (typeof number !== 'number') return false;
    const known = this.#lines.get(number);
    this.#lines.set(number, {
      name: `${number}  ${escapeLine(typeof agent === 'string' ? agent : '')}`,
      state: typeof state === 'string' ? escapeLine(state) : (known?.state ?? 'waiting'),
      ...(known?.tokens !== undefined && { tokens: known.tokens }),
      ...(typeof tokens === 'number' && { tokens }),
    });
    return true;
  }

  /** Empty where there are no candidates. */
  render(width: number): string[] {
    const lines = [...this.#lines].toSorted(([one], [other]) => one - other).map(([, line]) => line);
    const names = Math.max(0, ...lines.map(({ name }) => textWidth(name)));
    return lines.map(({ name, state, tokens }) => {
      const padded = name + ' '.repeat(names - textWidth(name));
      const used = tokens === undefined ? '' : ` · ${formatTokens(tokens)} tokens`;
      return `${fitText(`  ${padded}  ${state}`, Math.max(20, width - textWidth(used)))}${used}`;
    });
  }
}
