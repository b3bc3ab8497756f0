import { describe, expect, it } from 'vitest';
import { contract } from '../../src/contract/index.ts';
import { responseFields } from '../../src/contract/response-fields.ts';

describe('the fields of a response', () => {
  it('are those of its schema, also the optional ones, through lists and references', () => {
    const fields = responseFields('tasks.list');
    expect(fields?.names).toEqual(['tasks', 'count', 'total', 'totalIsLowerBound', 'limit', 'nextCursor']);
    expect(fields?.at('tasks').names).toContain('error');
    expect(fields?.at('tasks').at('error').names).toEqual(['class', 'code', 'message']);
    expect(fields?.at('tasks').at('title').names).toEqual([]);
  });

  it('are open where any JSON may stand', () => {
    expect(responseFields('tasks.get')?.at('task').at('metadata')).toMatchObject({ isOpen: true });
    expect(responseFields('tasks.get')?.at('task')).toMatchObject({ isOpen: false });
  });

  it('are those of every kind of event of a stream, and of every message of the live feed', () => {
    expect(responseFields('tasks.listEventsStream')?.names).toContain('seq');
    expect(responseFields('live')?.names).toEqual(
      expect.arrayContaining(['type', 'task', 'approval', 'notification']),
    );
  });

  it('are known for every route, and for nothing else', () => {
    for (const [resource, routes] of Object.entries(contract))
      for (const name of Object.keys(routes))
        expect(responseFields(`${resource}.${name}`), name).toBeDefined();
    expect(responseFields('tasks.none')).toBeUndefined();
  });
});
