import { cutText } from '../../text/cut-text.ts';
import type { FailureClass, TaskError, TaskResult } from '../../../contract/task.ts';
import { pageUrl } from '../../../contract/page-url.ts';
import type { StoredTask } from '../../tasks/task-mapping.ts';
import type { CommentState } from './comment-state.ts';
import { formatLongDuration } from '../../text/format-long-duration.ts';

const MAX_OUTPUT = 10_000;
const MAX_MESSAGE = 1000;

/** The content of a comment, independent of the vendor's format. Everything except `quote` is our own plain text. */
export interface CommentText {
  taskId: string;
  /** Shown in bold, followed by `rest`. */
  headline: string;
  rest: string;
  note?: string;
  /** Output of a model or a program that read untrusted text: arbitrary Markdown. */
  quote?: string;
  /** How many characters of the quote were truncated. */
  cutBy?: number;
  /** URL of the task's page. */
  link?: string;
}
export type ReportedTask = Pick<StoredTask, 'id' | 'attempts' | 'result' | 'error'>;

const reasons: Record<FailureClass, string> = {
  rate_limited: 'The model provider is rate limiting requests.',
  quota: 'The quota of the model provider is used up.',
  auth: 'A service that it needs rejected its credentials.',
  network: 'A service that it needs could not be reached.',
  timeout: 'It exceeded its time limit.',
  agent_crash: 'The agent crashed.',
  agent_error: 'The agent ran into an error.',
  command_failed: 'The command exited with an error.',
  invalid_input: 'The agent cannot work with this request.',
  policy_denied: 'It needed something that the policy does not allow.',
  verify_failed: 'The commands that verify its work did not succeed.',
  invalid_output: 'The answer did not have the expected form.',
  budget: 'It would have exceeded its budget.',
  host_gone: 'The machine with its directory is gone.',
  cancelled: 'It was stopped.',
  unknown: 'Something went wrong.',
};

/** Returns the content of the comment for a task in a state. */
export function commentText(
  task: ReportedTask,
  state: CommentState,
  baseUrl: string | undefined,
): CommentText {
  const { id: taskId } = task;
  const link = baseUrl && { link: pageUrl(baseUrl, 'tasks', taskId) };
  return { taskId, ...bodyOfState(task, state), ...link };
}

function bodyOfState(task: ReportedTask, state: CommentState): Omit<CommentText, 'taskId' | 'link'> {
  switch (state) {
    case 'started':
      return { headline: 'svc is working on this', rest: '.' };
    case 'approval':
      return {
        headline: 'svc is waiting for a decision',
        rest: ': a person has to approve what it wants to do next.',
      };
    case 'completed': {
      const result = task.result === null ? undefined : (JSON.parse(task.result) as TaskResult);
      const time = result && ` in ${formatLongDuration(result.duration)}`;
      return {
        headline: 'svc has finished this',
        rest: `${time ?? ''}${result?.verified === true ? ', and commands verified it' : ''}.`,
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
      return { headline: 'svc stopped working on this', rest: ': the task was cancelled.' };
  }
}

function quoted(text = '', limit: number): Pick<CommentText, 'quote' | 'cutBy'> {
  const clean = cleaned(text);
  if (clean === '') return {};
  const quote = cutText(clean, limit);
  return clean.length > limit ? { quote, cutBy: clean.length - quote.length } : { quote };
}

/** Removes control characters, and those that reverse or hide text. */
const cleaned = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replaceAll(
      /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu,
      '',
    )
    .trim();
