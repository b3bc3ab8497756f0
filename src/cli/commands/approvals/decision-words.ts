import type { ApprovalCoverage, ApprovalDecision } from '../../../contract/approvals.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import type { Output } from '../../output/output.ts';

/** A decision as the daemon takes it. */
export interface Decision {
  decision: ApprovalDecision;
  covers?: ApprovalCoverage;
}

/** Rows of the terminal that the question takes. */
const QUESTION_ROWS = 2;

const once: Decision = { decision: 'allow-once' };
const always: Decision = { decision: 'allow-always' };
const tool: Decision = { decision: 'allow-always', covers: 'tool' };
const deny: Decision = { decision: 'deny' };
const short: Record<string, Decision> = {
  y: once,
  yes: once,
  a: always,
  always,
  t: tool,
  tool,
  n: deny,
  no: deny,
};
/** A call whose beginning has scrolled away is not allowed by a single letter. */
const typed: Record<string, Decision> = {
  'allow once': once,
  'allow always': always,
  'allow tool': tool,
  n: deny,
  no: deny,
};

/** Whether a call that takes this many rows does not fit on the terminal. */
export const isLongerThanScreen = (rows: number, { errorStream }: Pick<Output, 'errorStream'>): boolean =>
  rows + QUESTION_ROWS > (errorStream.rows || Number.POSITIVE_INFINITY);

/** The question about a call that was just printed, and what may be answered. */
export function questionAbout(
  toolName: string,
  { rows, isLong }: { rows: number; isLong: boolean },
): { text: string; answers: Record<string, Decision> } {
  const name = visibleLine(toolName);
  return isLong
    ? {
        text: `Allow ${name}? It takes ${rows} rows, more than the screen: scroll up and read it all. Type "allow once", "allow always" or "allow tool", or [n]o: `,
        answers: typed,
      }
    : {
        text: `Allow ${name}? [y]es once / [a]lways / the whole [t]ool / [n]o `,
        answers: short,
      };
}
