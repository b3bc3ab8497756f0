import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { SafeServer } from '../../../src/core/mcp-server/safe-server.ts';

/** What a client gets for a list of tools that fails in this way. */
async function failWith(error: unknown, params: object = {}) {
  const bugs: unknown[] = [];
  const handler = createMcpHandler(() => {
    const server = new SafeServer({ name: 'test', version: '1' }, { capabilities: { tools: {} } }, (bug) =>
      bugs.push(bug),
    );
    server.setRequestHandler('tools/list', () => Promise.reject(error));
    return server;
  });
  const request = new Request('http://svc/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  });
  const parsedBody = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
  const text = await (await handler.fetch(request, { parsedBody })).text();
  return { error: (JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '') as { error: object }).error, bugs };
}

describe('a client', () => {
  it('learns of an expected failure', async () => {
    const details = [{ path: 'cursor', message: 'Not a cursor' }];
    const { error, bugs } = await failWith(new AppError('validation', 'Validation failed', { details }));
    expect(error).toEqual({ code: -32_602, message: 'Validation failed\n- cursor: Not a cursor' });
    expect(bugs).toEqual([]);
  });

  it('learns nothing of a bug, which is reported', async () => {
    const bug = new Error('no such column: password');
    expect(await failWith(bug)).toEqual({ error: { code: -32_603, message: 'Internal error' }, bugs: [bug] });
  });

  it('gets an error for parameters that are not valid', async () => {
    const { error, bugs } = await failWith(new Error('not reached'), { cursor: {} });
    expect(error).toEqual({ code: -32_602, message: 'The parameters of tools/list are not valid' });
    expect(bugs).toEqual([]);
  });
});
