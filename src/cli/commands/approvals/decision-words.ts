import type { ApprovalCoverage, ApprovalDecision } from '../../../contract/approvals.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import type { Output } from '../../output/output.ts';

/** A decision as the daemon takes it. */
export interface Decision {
  decision: ApprovalDecision;
  covers?: ApprovalCoverage;
  denialReason?: string;
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

/** `no`, or `no because it is generated`: the rest is for the model. */
const denial = /^(?:n|no)\s+(?<reason>\S.*)$/i;

/** The decision that an answer stands for; undefined where it is none. */
export function parseDecision(answer: string, answers: Record<string, Decision>): Decision | undefined {
  const text = answer.trim();
  const word = text.toLowerCase();
  if (Object.hasOwn(answers, word)) return answers[word];
  const { reason } = denial.exec(text)?.groups ?? {};
  return reason === undefined ? undefined : { ...deny, denialReason: reason };
}

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
        text: `Allow ${name}? It takes ${rows} rows, more than the screen: scroll up and read it all. Type "allow once", "allow always" or "allow tool", or [n]o, with a reason if you like: `,
        answers: typed,
      }
    : {
        text: `Allow ${name}? [y]es once / [a]lways / the whole [t]ool / [n]o, or no and why `,
        answers: short,
      };
}
