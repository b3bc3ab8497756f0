import type { Task } from '../../../contract/task.ts';

/** What a model is asked to do for a task. */
export const promptOfTask = ({ title, description, prompt }: Task): string =>
  [prompt ?? title, prompt === description ? undefined : description].filter(Boolean).join('\n\n');

/** What the memory is searched for before a task. */
export const questionOfTask = ({ title, description, prompt = description ?? '' }: Task): string =>
  prompt.trimStart().startsWith(title) ? prompt : `${title}\n${prompt}`;
