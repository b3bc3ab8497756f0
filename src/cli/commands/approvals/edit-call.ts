import type { Approval } from '../../../contract/approvals.ts';
import { ApiError } from '../../../contract/client.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { editDraft, editorOf } from '../../input/edit-draft.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import {
  type Answer,
  type Decision,
  isLongerThanScreen,
  type Question,
  questionAboutEdited,
  questionAfterMistake,
} from './decision-words.ts';
import { argumentsText, parseArguments } from './edit-arguments.ts';
import { type AskedCall, formatCall } from './format-call.ts';

/**
 * Lets a person change the arguments of a call in their editor, shows what the call would then do, and asks again.
 * Undefined where they leave the call as it is.
 */
export async function editCall(
  cli: Cli,
  { id, params }: Pick<AskedCall, 'id' | 'params'>,
  askPerson: (question: Question) => Promise<Answer | undefined>,
): Promise<Decision | undefined> {
  const { output } = cli;
  const original = argumentsText(params);
  let text = original;
  for (;;) {
    text = `${await editDraft(text, editorOf(cli.platform.env), 'arguments.json')}\n`;
    if (text === original) {
      output.note('The arguments are unchanged.');
      return undefined;
    }
    const edited = await previewEdited(cli, id, text);
    let question: Question;
    if (typeof edited === 'string') {
      output.note(`${output.paintError('red', '✗')} ${escapeLine(edited)}`);
      question = questionAfterMistake;
    } else {
      const shown = callText(cli, edited);
      output.note(shown);
      const rows = shown.split('\n').length;
      question = questionAboutEdited(edited.toolName, { rows, isLong: isLongerThanScreen(rows, output) });
    }
    const answer = await askPerson(question);
    if (answer === 'edit') continue;
    if (answer?.decision !== 'allow-once') return undefined;
    return { ...answer, arguments: parseArguments(text) };
  }
}

/** The call with the edited arguments, or why they cannot be used. */
async function previewEdited(cli: Cli, id: string, text: string): Promise<Approval | string> {
  try {
    const { client } = cli.connect();
    const edited = parseArguments(text);
    return (await client.approvals.preview({ params: { id }, body: { arguments: edited } })).approval;
  } catch (error) {
    if (error instanceof CliError || (error instanceof ApiError && error.status === 400))
      return error.message;
    throw error;
  }
}

/** A call as it is shown above a question. */
export function callText({ output }: Cli, call: AskedCall): string {
  const { paintError: paint, errorStream } = output;
  const width = errorStream.columns || Number.POSITIVE_INFINITY;
  return formatCall(call, { paint, width, now: Date.now() }).trimEnd();
}

/** The message when a person leaves a call undecided. */
export const stillWaiting = ({ toolName }: Pick<AskedCall, 'toolName'>): string =>
  `${visibleLine(toolName)} is still waiting for a decision.`;
