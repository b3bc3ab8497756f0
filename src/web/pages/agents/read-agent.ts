import { ApiError } from '../../../contract/client.ts';
import type { FieldProblems } from '../../components/form/field-problems.ts';
import { formText } from '../../components/form-text.ts';
import type { AddedAgent } from './added-agents.ts';

/** Reads the form of an agent; variables that are not named stay as they are. */
export function readAgent(
  data: FormData,
  before: AddedAgent | undefined,
): { agent: AddedAgent } | { problems: FieldProblems } {
  const problems = new Map<string, string>();
  const program = formText(data, 'program').trim();
  if (program === '') problems.set('program', 'Say which program, such as goose or /opt/agent/bin/agent.');
  const model = formText(data, 'model').trim();
  const tokens = formText(data, 'maxTokens').trim();
  if (!/^\d{0,12}$/.test(tokens)) problems.set('maxTokens', 'Expected a whole number.');
  const removed = new Set(data.getAll('unset'));
  const kept = Object.entries(before?.env ?? {}).filter(([name]) => !removed.has(name));
  const added = linesOf(formText(data, 'env')).map((line) => line.trim().split(/=(.*)/s));
  if (added.some(([name = '', value]) => name === '' || value === undefined))
    problems.set('env', 'Expected NAME=value, one on each line.');
  if (problems.size > 0) return { problems };
  return {
    agent: {
      program,
      args: linesOf(formText(data, 'args')),
      env: Object.fromEntries([
        ...kept,
        ...added.map(([name = '', value = '']): [string, string] => [name, value]),
      ]),
      ...(model !== '' && { model }),
      ...(tokens !== '' && { maxTokens: Number(tokens) }),
    },
  };
}

const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '');

const fields = ['program', 'args', 'env', 'model', 'maxTokens'];

/** What the daemon says against the agents, at the field of this one: it names the agent and the field first. */
export function agentProblems(error: unknown, name: string): FieldProblems | undefined {
  const message = error instanceof ApiError ? error.details?.[0]?.message : undefined;
  if (message === undefined) return undefined;
  const [, path = '', rest = message] = /^([\w.\- ]+): (.*)$/s.exec(message) ?? [];
  const field = path.startsWith(`${name}.`) ? (path.split('.')[1] ?? '') : '';
  return new Map([[fields.includes(field) ? field : 'name', fields.includes(field) ? rest : message]]);
}
