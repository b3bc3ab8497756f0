import { cutText } from '../../text/cut-text.ts';
import type { FailureClass, TaskError, TaskResult } from '../../../contract/task.ts';
import type { StoredTask } from '../../tasks/task-mapping.ts';
import type { CommentState } from './comment-state.ts';
import { spokenDuration } from './spoken-duration.ts';

const MAX_OUTPUT = 10_000;
const MAX_MESSAGE = 1000;

/** What a comment says, before it has the form of a vendor. Everything but `quote` is ours and plain. */
export interface CommentText {
  taskId: string;
  /** Stands out, with `rest` after it. */
  headline: string;
  rest: string;
  note?: string;
  /** The words of a model or a program, who read what strangers wrote: Markdown that may hold anything. */
  quote?: string;
  /** How many characters of the quote were left out. */
  cutBy?: number;
  /** The page of the task. */
  link?: string;
}
export type ToldTask = Pick<StoredTask, 'id' | 'attempts' | 'result' | 'error'>;

const reasons: Record<FailureClass, string> = {
  rate_limited: 'The model had no room for it.',
  quota: 'What may be used of the model is used up.',
  auth: 'A service that it needs did not let it in.',
  network: 'A service that it needs could not be reached.',
  timeout: 'It took longer than it may.',
  agent_crash: 'The agent stopped in the middle of its work.',
  agent_error: 'The agent ran into an error.',
  invalid_input: 'The agent cannot work with what was asked for.',
  policy_denied: 'It needed something that the rules do not allow.',
  budget: 'It would have cost more than it may.',
  cancelled: 'It was stopped.',
  unknown: 'Something went wrong.',
};

/** What is to be said of the task in that state. */
export function commentText(task: ToldTask, state: CommentState, baseUrl: string | undefined): CommentText {
  const { id: taskId } = task;
  const link = baseUrl && { link: `${baseUrl.replace(/\/+$/, '')}/tasks/${encodeURIComponent(taskId)}` };
  return { taskId, ...saidOf(task, state), ...link };
}

function saidOf(task: ToldTask, state: CommentState): Omit<CommentText, 'taskId' | 'link'> {
  switch (state) {
    case 'started':
      return { headline: 'svc is working on this', rest: '.' };
    case 'approval':
      return {
        headline: 'svc waits for a decision',
        rest: ': a person has to allow what it wants to do next.',
      };
    case 'completed': {
      const result = task.result === null ? undefined : (JSON.parse(task.result) as TaskResult);
      const time = result && ` in ${spokenDuration(result.duration)}`;
      return {
        headline: 'svc has finished this',
        rest: `${time ?? ''}.`,
        ...quoted(result?.output, MAX_OUTPUT),
      };
    }
    case 'failed': {
      const error = task.error === null ? undefined : (JSON.parse(task.error) as TaskError);
      const tries = task.attempts > 1 ? ` after ${task.attempts} attempts` : '';
      return {
        headline: 'svc could not finish this',
        rest: `${tries}.`,
        ...(error && { note: `${reasons[error.class]} (${error.class})` }),
        ...quoted(error?.message, MAX_MESSAGE),
      };
    }
    case 'cancelled':
      return { headline: 'svc does not work on this any more', rest: ': the task was cancelled.' };
  }
}

function quoted(text = '', limit: number): Pick<CommentText, 'quote' | 'cutBy'> {
  const clean = cleaned(text);
  if (clean === '') return {};
  const quote = cutText(clean, limit);
  return clean.length > limit ? { quote, cutBy: clean.length - quote.length } : { quote };
}

/** Without control characters, and without those that turn text around or hide it. */
const cleaned = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replaceAll(
      /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu,
      '',
    )
    .trim();
