import type { CreateExperience } from '../../../contract/experiences.ts';
import type { Task } from '../../../contract/task.ts';

/** A shorter answer is not worth keeping without tool calls. */
const SHORT_ANSWER = 300;
const MAX_ANSWER = 1500;
const MAX_INTENT = 1000;
const PROMPT_LINES = 5;
const MAX_FAILURE = 400;
const MAX_TAG = 50;
const MAX_TAGS = 20;

/** The score of a run of which nothing is known but what the agent said of it. */
const CLAIMED_SCORE = 0.5;

/** The error of an earlier attempt. */
export interface PreviousFailure {
  code: string;
  message: string;
}

/** Whether more than the agent's own word says that the task is done. */
export const isVerified = ({ result }: Pick<Task, 'result'>): boolean =>
  result?.verification?.status === 'passed';

/** Builds an experience from a completed task without a model call; undefined when there is too little to keep. */
export function lessonOf(
  task: Task,
  answer: string,
  steps: readonly string[],
  failure: PreviousFailure | undefined,
): CreateExperience | undefined {
  const text = answer.trim();
  const isShort = text.length <= SHORT_ANSWER;
  if (steps.length === 0 && isShort) return undefined;
  const solution = [
    ...(failure ? [`At first it failed: ${failure.code}: ${cut(failure.message, MAX_FAILURE)}`] : []),
    ...steps,
    ...(text === '' ? [] : [cut(text, MAX_ANSWER)]),
  ];
  return {
    type: failure ? 'error_recovery' : isShort ? 'tool_chain' : 'task_solution',
    intent: intentOf(task),
    solution,
    successScore: isVerified(task) ? 1 : CLAIMED_SCORE,
    tags: tagsOf(task),
  };
}

/** The title, followed by the first lines of the prompt when they add to it. */
function intentOf({ title, description, prompt = description ?? '' }: Task): string {
  const lines = prompt.trim().split('\n').slice(0, PROMPT_LINES).join('\n').trim();
  return cut(
    lines.startsWith(title.trim()) || lines === '' ? lines || title : `${title}\n${lines}`,
    MAX_INTENT,
  );
}

function tagsOf({ labels, repository, agentType }: Task): string[] {
  const tags = [...labels, repository, agentType].flatMap((tag) => tag?.trim() ?? []);
  return [...new Set(tags)].filter(({ length }) => length > 0 && length <= MAX_TAG).slice(0, MAX_TAGS);
}

const cut = (text: string, length: number): string =>
  (text.length <= length ? text : `${text.slice(0, length - 1)}…`).toWellFormed();
