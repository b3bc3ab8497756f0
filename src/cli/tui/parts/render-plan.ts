import { cleanText, type Line } from './line.ts';
import type { PlanEntry } from './run-entry.ts';
import { wrapSpans } from './wrap-spans.ts';

const marks: Record<string, string> = { completed: '✓', in_progress: '▸', pending: '○' };

/** The steps of a plan, one below the other. */
export const renderPlan = ({ steps }: PlanEntry, width: number): Line[] =>
  steps.flatMap(({ text, status }) => {
    const style = status === 'in_progress' ? undefined : ({ tone: 'muted' } as const);
    return wrapSpans([{ text: `${marks[status] ?? '○'} ${cleanText(text)}`, style }], width);
  });
