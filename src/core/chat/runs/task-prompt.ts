import type { Task } from '../../../contract/task.ts';

/** The prompt of a task for a model. */
export const promptOfTask = ({ title, description, prompt }: Task): string =>
  [prompt ?? title, prompt === description ? undefined : description].filter(Boolean).join('\n\n');

/** The memory query of a task. */
export const questionOfTask = ({ title, description, prompt = description ?? '' }: Task): string =>
  prompt.trimStart().startsWith(title) ? prompt : `${title}\n${prompt}`;
