import { describe, expect, it } from 'vitest';
import { headersFor } from '../../../../src/cli/commands/mcp/request-headers.ts';

const accept = 'application/json, text/event-stream';
const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const call = (name: string) => ({
  jsonrpc: '2.0' as const,
  id: 1,
  method: 'tools/call',
  params: { _meta: meta, name },
});

describe('the headers of a message', () => {
  it('name the revision, the method and the tool since 2026-07-28', () => {
    expect(headersFor(call('get_task'), undefined)).toEqual({
      accept,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'get_task',
    });
  });

  it('name the task of a request about a task', () => {
    const params = { _meta: meta, taskId: 'task_1' };
    expect(headersFor({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params }, undefined)).toMatchObject({
      'mcp-name': 'task_1',
    });
  });

  it.each(['grüße', 'a\r\nx-evil: 1', ' a', 'a ', '', '=?base64?eA==?='])(
    'hold nothing that a header cannot: %j',
    (name) => {
      const encoded = headersFor(call(name), undefined)['mcp-name'] ?? '';
      const [, base64 = ''] = /^=\?base64\?(.*)\?=$/.exec(encoded) ?? [];
      expect(Buffer.from(base64, 'base64').toString()).toBe(name);
    },
  );

  it('name the revision alone that an earlier client agreed on', () => {
    const request = { jsonrpc: '2.0' as const, id: 1, method: 'tools/list' };
    expect(headersFor(request, '2025-06-18')).toEqual({ accept, 'mcp-protocol-version': '2025-06-18' });
    expect(headersFor({ ...request, method: 'initialize' }, '2025-06-18')).toEqual({ accept });
    expect(headersFor(request, undefined)).toEqual({ accept });
  });
});
