import type { Client } from '../../../contract/client.ts';
import type { Pick as PickWay } from '../../../contract/best-of.ts';
import { parseDuration } from '../../../contract/duration.ts';
import type { FieldProblems } from '../form/field-problems.ts';
import { formText } from '../form-text.ts';
import { titleOf } from '../../../contract/task-title.ts';

type Body<F extends (...args: never[]) => unknown> =
  NonNullable<Parameters<F>[0]> extends { body: infer B } ? B : never;
export type NewTask = Body<Client['tasks']['create']>;
export type NewSchedule = Body<Client['schedules']['create']>;

/** What the form asks for: a task now, or a schedule that creates tasks later. */
export type FormRequest = { task: NewTask } | { schedule: NewSchedule };

/** Reads the form. Only what cannot be sent at all is refused here; the daemon checks everything else. */
export function readForm(data: FormData): FormRequest | { problems: FieldProblems } {
  const { task, problems } = readTask(data);
  const when = formText(data, 'when');
  if (when !== 'at' && when !== 'cron') return problems.size > 0 ? { problems } : { task };
  const { timing, problem } = readTiming(data, when);
  if (problem !== undefined) problems.set(when, problem);
  return problems.size > 0 ? { problems } : { schedule: { ...timing, task } };
}

/** When it runs, and what is missing to say that. */
export function readTiming(data: FormData, when: 'at' | 'cron') {
  const moment = formText(data, when).trim();
  const timezone = formText(data, 'timezone').trim();
  const problem = when === 'at' ? 'Say when.' : 'Say when, such as 0 9 * * 1-5 or @daily.';
  return {
    timing: { [when]: moment, ...(timezone !== '' && { timezone }) },
    ...(moment === '' && { problem }),
  };
}

/** Reads the fields of the task, with what is wrong with them. */
export function readTask(data: FormData): { task: NewTask; problems: Map<string, string> } {
  const problems = new Map<string, string>();
  const text = (name: string): string | undefined => {
    const value = data.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const number = (name: string): number | undefined => {
    const value = text(name);
    if (value === undefined || /^\d{1,15}$/.test(value))
      return value === undefined ? undefined : Number(value);
    problems.set(name, 'Expected a whole number.');
    return undefined;
  };
  const duration = (name: string): number | undefined => {
    const value = text(name);
    const ms = value === undefined ? undefined : parseDuration(value);
    if (value !== undefined && ms === undefined)
      problems.set(name, 'Expected a duration such as 10m, 1h30m or 90s.');
    return ms;
  };
  const list = (name: string, separator: string): string[] | undefined => {
    const parts = text(name)
      ?.split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return parts?.length ? parts : undefined;
  };

  const prompt = text('prompt');
  if (prompt === undefined) problems.set('prompt', 'Say what to do.');
  const agents = data.getAll('bestOf.agents').filter((agent) => typeof agent === 'string');
  const count = number('bestOf.count') ?? (agents.length > 0 ? agents.length : undefined);
  const task = definedOnly({
    title: text('title') ?? titleOf(prompt ?? ''),
    prompt,
    // Candidates have agents of their own.
    assignedAgent: agents.length > 0 ? undefined : text('assignedAgent'),
    cwd: text('cwd'),
    repository: text('repository'),
    branch: text('branch'),
    worktree: { yes: true, no: false }[text('worktree') ?? ''],
    model: text('model'),
    maxBudget: number('maxBudget'),
    maxCostUsd: text('maxCostUsd')?.replace(/^\$\s*/, ''),
    maxSteps: number('maxSteps'),
    maxTimeMs: duration('maxTimeMs'),
    maxAttempts: number('maxAttempts'),
    verify: list('verify', '\n'),
    repair: number('repair'),
    labels: list('labels', ','),
    priority: number('priority'),
    securityMode: text('securityMode'),
    bestOf:
      count === undefined
        ? undefined
        : {
            count,
            ...(agents.length > 0 && { agents }),
            pick: (text('bestOf.pick') ?? 'verify') as PickWay,
          },
  }) as NewTask;

  return { task, problems };
}

const definedOnly = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
