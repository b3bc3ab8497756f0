import { describe, expect, it } from 'vitest';
import { responseFields } from '../../../src/contract/response-fields.ts';
import { FieldSelection } from '../../../src/cli/output/select-fields.ts';
import { CliError } from '../../../src/cli/errors/cli-error.ts';

const select = (paths: string[], value: unknown, route?: string) =>
  new FieldSelection(paths, responseFields).of(value, route);

function failureOf(act: () => unknown): CliError {
  try {
    act();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const page = {
  tasks: [
    { id: 'a', title: 'A', error: { class: 'timeout', message: 'late' } },
    { id: 'b', title: 'B' },
  ],
  total: 2,
  limit: 50,
};

describe('selected fields', () => {
  it('are picked from every item of a list, in the order asked for', () => {
    const picked = select(['title', 'id'], page, 'tasks.list');
    expect(JSON.stringify(picked)).toBe('{"tasks":[{"title":"A","id":"a"},{"title":"B","id":"b"}]}');
  });

  it('may be inside of others, absent, or of the response itself', () => {
    expect(select(['error.message', 'total', 'startedAt'], page, 'tasks.list')).toEqual({
      tasks: [{ error: { message: 'late' } }, {}],
      total: 2,
    });
    expect(select(['tasks.id'], page, 'tasks.list')).toEqual({ tasks: [{ id: 'a' }, { id: 'b' }] });
  });

  it('are picked from the object of a response', () => {
    expect(select(['status'], { task: { id: 'a', status: 'queued' } }, 'tasks.get')).toEqual({
      task: { status: 'queued' },
    });
  });

  it('may have any name inside of data of users', () => {
    const answer = { task: { metadata: { ticket: { key: 'X-1', url: 'u' } } } };
    expect(select(['metadata.ticket.key'], answer, 'tasks.get')).toEqual({
      task: { metadata: { ticket: { key: 'X-1' } } },
    });
    expect(select(['metadata.constructor.name'], answer, 'tasks.get')).toEqual({
      task: { metadata: {} },
    });
  });

  it('that no response has are refused with the names there are, even of an empty list', () => {
    const empty = { tasks: [], total: 0, limit: 50 };
    const { message, next, exitCode } = failureOf(() => select(['titel'], empty, 'tasks.list'));
    expect({ message, exitCode }).toEqual({
      message: 'There is no field "titel". Did you mean title?',
      exitCode: 2,
    });
    expect(next).toMatch(/^Fields: agentType, .*, worktree\.$/);
    expect(failureOf(() => select(['error.why'], page, 'tasks.list'))).toMatchObject({
      message: 'There is no field "error.why".',
      next: 'Fields of error: class, code, message.',
    });
    expect(failureOf(() => select(['title.length'], page, 'tasks.list')).next).toBe('title has no fields.');
  });

  it('of output that is no response are those that it has', () => {
    const contexts = { contexts: [{ name: 'a', url: 'u' }, { name: 'b' }] };
    expect(select(['name'], contexts)).toEqual({ contexts: [{ name: 'a' }, { name: 'b' }] });
    expect(failureOf(() => select(['nme'], contexts)).next).toBe('Fields: name, url.');
    expect(select(['name'], { contexts: [] })).toEqual({});
  });
});
