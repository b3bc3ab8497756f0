import type { Approval, DecideApproval } from '../../../contract/approvals.ts';
import { isPublishing } from '../../../contract/publishing.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import type { Output } from '../../output/output.ts';

export type Decision = DecideApproval;

/** What a person answers: a decision, or that they want to change the arguments first. */
export type Answer = Decision | 'edit';

/** A question and what may be answered. */
export interface Question {
  text: string;
  answers: Record<string, Answer>;
}

/** Rows of the terminal that the question takes. */
const QUESTION_ROWS = 2;

const once: Decision = { decision: 'allow-once' };
const always: Decision = { decision: 'allow-always' };
const tool: Decision = { decision: 'allow-always', covers: 'tool' };
const deny: Decision = { decision: 'deny' };
const short: Record<string, Answer> = {
  y: once,
  yes: once,
  a: always,
  always,
  t: tool,
  tool,
  e: 'edit',
  edit: 'edit',
  n: deny,
  no: deny,
};
/** A call whose beginning has scrolled away is not allowed by a single letter. */
const typed: Record<string, Answer> = {
  'allow once': once,
  'allow always': always,
  'allow tool': tool,
  e: 'edit',
  edit: 'edit',
  n: deny,
  no: deny,
};

/** `no`, or `no because it is generated`: the rest is for the model. */
const denial = /^(?:n|no)\s+(?<reason>\S.*)$/i;

/** The decision that an answer stands for; undefined where it is none. */
export function parseDecision(answer: string, answers: Record<string, Answer>): Answer | undefined {
  const text = answer.trim();
  const word = text.toLowerCase();
  if (Object.hasOwn(answers, word)) return answers[word];
  const { reason } = denial.exec(text)?.groups ?? {};
  return reason === undefined ? undefined : { ...deny, denialReason: reason };
}

/** Whether a call that takes this many rows does not fit on the terminal. */
export const isLongerThanScreen = (rows: number, { errorStream }: Pick<Output, 'errorStream'>): boolean =>
  rows + QUESTION_ROWS > (errorStream.rows || Number.POSITIVE_INFINITY);

/** How much of the screen a printed call takes. */
interface Shown {
  rows: number;
  isLong: boolean;
}

const readFirst = ({ rows }: Shown) =>
  `It takes ${rows} rows, more than the screen: scroll up and read it all.`;

/** The question about a call that was just printed, and what may be answered. */
export function questionAbout(
  { toolName, agent }: Pick<Approval, 'toolName' | 'agent'>,
  shown: Shown,
): Question {
  const name = visibleLine(toolName);
  if (isPublishing({ toolName })) return questionAboutPublishing(name, shown);
  const mayEdit = agent === undefined;
  return shown.isLong
    ? {
        text: `Allow ${name}? ${readFirst(shown)} Type "allow once", "allow always" or "allow tool", ${mayEdit ? 'or [e]dit, ' : ''}or [n]o, with a reason if you like: `,
        answers: mayEdit ? typed : withoutEdit(typed),
      }
    : {
        text: `Allow ${name}? [y]es once / [a]lways / the whole [t]ool / ${mayEdit ? '[e]dit / ' : ''}[n]o, or no and why `,
        answers: mayEdit ? short : withoutEdit(short),
      };
}

/** What is published is asked for each time, and as it is. */
const questionAboutPublishing = (name: string, shown: Shown): Question =>
  shown.isLong
    ? {
        text: `Allow ${name}? ${readFirst(shown)} Type "allow once", or [n]o, with a reason if you like: `,
        answers: { 'allow once': once, n: deny, no: deny },
      }
    : {
        text: `Allow ${name}? [y]es / [n]o, or no and why `,
        answers: { y: once, yes: once, n: deny, no: deny },
      };

const withoutEdit = (answers: Record<string, Answer>): Record<string, Answer> =>
  Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== 'edit'));

/** The question about a call whose arguments the person has changed, which is only allowed once. */
export function questionAboutEdited(toolName: string, shown: Shown): Question {
  const name = visibleLine(toolName);
  const others: Record<string, Answer> = { e: 'edit', edit: 'edit', n: deny, no: deny };
  return shown.isLong
    ? {
        text: `Allow ${name} with these arguments? ${readFirst(shown)} Type "allow once", or [e]dit again, or [n]o: `,
        answers: { 'allow once': once, ...others },
      }
    : {
        text: `Allow ${name} with these arguments? [y]es once / [e]dit again / [n]o `,
        answers: { y: once, yes: once, ...others },
      };
}

/** The question after arguments that cannot be used. */
export const questionAfterMistake: Question = {
  text: 'Edit them again? [y]es / [n]o ',
  answers: { y: 'edit', yes: 'edit', e: 'edit', n: deny, no: deny },
};
