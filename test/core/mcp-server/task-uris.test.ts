import { describe, expect, it } from 'vitest';
import { readTaskUri, taskUri } from '../../../src/core/mcp-server/task-uris.ts';

describe('the URI of a part of a task', () => {
  it('is read as it was made', () => {
    expect(readTaskUri(taskUri('task_0199', 'output'))).toEqual({ id: 'task_0199', part: 'output' });
    expect(readTaskUri(taskUri('task_0199', 'diff'))).toEqual({ id: 'task_0199', part: 'diff' });
  });

  it.each([
    '',
    'svc://tasks/task_1',
    'svc://tasks/task_1/env',
    'svc://tasks/../output',
    'svc://tasks/a%2fb/output',
    'svc://tasks/task_1/output/',
    'svc://tasks/task_1/output?x',
    'SVC://tasks/task_1/output',
    'file:///svc://tasks/task_1/output',
    `svc://tasks/${'x'.repeat(201)}/output`,
    'svc://tasks/task_1/output\n',
  ])('is nothing else: %j', (uri) => {
    expect(readTaskUri(uri)).toBeUndefined();
  });
});
