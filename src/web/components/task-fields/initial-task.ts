import { createContext, use } from 'react';
import type { Schedule } from '../../../contract/schedules.ts';
import { titleOf } from '../../../contract/task-title.ts';

/** What the fields of a task hold before anybody types: texts by the name of the field, and the agents of its candidates. */
export interface InitialTask {
  texts: ReadonlyMap<string, string>;
  agents: readonly string[];
}

/** Set around a form that changes a task; a new task has empty fields. */
export const InitialTaskContext = createContext<InitialTask>({ texts: new Map(), agents: [] });

/** Reads the initial text of a field. */
export function useInitialText(): (name: string) => string | undefined {
  const { texts } = use(InitialTaskContext);
  return (name) => texts.get(name);
}

const worktrees = new Map([
  [true, 'yes'],
  [false, 'no'],
]);

/** The task of a schedule as a form shows it. */
export function initialTaskOf(task: Schedule['task']): InitialTask {
  const prompt = task.prompt ?? task.title;
  const model = task.provider && task.model ? `${task.provider}/${task.model}` : task.model;
  const values: [name: string, value: string | number | undefined][] = [
    ['prompt', prompt],
    // A title that came from the prompt follows it.
    ['title', task.title === titleOf(prompt) ? undefined : task.title],
    ['assignedAgent', task.assignedAgent],
    ['cwd', task.cwd],
    ['repository', task.repository],
    ['branch', task.branch],
    ['worktree', task.worktree === undefined ? undefined : worktrees.get(task.worktree)],
    ['model', model],
    ['maxBudget', task.maxBudget],
    ['maxCostUsd', task.maxCostUsd],
    ['maxSteps', task.maxSteps],
    ['maxTimeMs', task.maxTimeMs === undefined ? undefined : durationText(task.maxTimeMs)],
    ['maxAttempts', task.maxAttempts],
    ['verify', task.verify?.join('\n')],
    ['repair', task.repair],
    ['labels', task.labels.join(', ')],
    ['priority', task.priority],
    ['securityMode', task.securityMode],
    ['bestOf.count', task.bestOf?.count],
    ['bestOf.pick', task.bestOf?.pick],
  ];
  const texts = values.flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return { texts: new Map(texts), agents: task.bestOf?.agents ?? [] };
}

const units = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** The duration in the form that fields take, such as `1h30m`. */
function durationText(ms: number): string {
  let left = ms;
  let text = '';
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    if (count > 0) text += `${count}${unit}`;
    left -= count * size;
  }
  return text;
}
