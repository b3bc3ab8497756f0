import type { Approval } from '../../../contract/approvals.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { cleanText, type Line, prefixLines } from './line.ts';
import { listArguments } from './format-arguments.ts';
import { breakSpan, wrapSpans } from './wrap-spans.ts';

/** Everything that a decision is based on, in full, with control characters made visible. */
export function renderApproval({ reason, cwd, params }: Approval, width: number): Line[] {
  const fields = [
    ...listArguments(params).map(({ name, text }) => ({ name: escapeLine(name), text })),
    { name: 'in', text: cwd },
  ];
  const indent = Math.min(16, Math.max(...fields.map(({ name }) => name.length)) + 2);
  return [
    ...wrapSpans([{ text: cleanText(reason), style: { tone: 'muted' } }], width),
    ...fields.flatMap(({ name, text }) => {
      const rows = breakSpan({ text: cleanText(text) }, width - indent);
      const isLong = name.length + 2 > indent;
      const title = { text: name.padEnd(indent), style: { tone: 'muted' } as const };
      const blank = { text: ' '.repeat(indent) };
      return isLong ? [[title], ...prefixLines(rows, blank)] : prefixLines(rows, title, blank);
    }),
  ];
}
