import { describe, expect, it } from 'vitest';
import {
  JsonRpcClosed,
  JsonRpcError,
  type JsonRpcOptions,
  JsonRpcPeer,
  methodNotFound,
} from '../../../../src/core/agents/drivers/json-rpc.ts';

function createPeer(options: Partial<JsonRpcOptions> = {}) {
  const sent: object[] = [];
  const noticed: unknown[] = [];
  const answered = Promise.withResolvers<void>();
  const peer = new JsonRpcPeer({
    send: (message) => {
      sent.push(message);
      if (!('method' in message)) answered.resolve();
    },
    hasVersion: false,
    onRequest: (method) => Promise.reject(methodNotFound(method)),
    onNotification: (method, params) => noticed.push([method, params]),
    ...options,
  });
  return { peer, sent, noticed, answered: answered.promise };
}

describe('JSON-RPC lines', () => {
  it('matches answers to requests by their id, in any order', async () => {
    const { peer, sent } = createPeer();
    const [first, second] = [peer.call('a', { x: 1 }), peer.call('b', {})];
    expect(sent).toEqual([
      { id: 1, method: 'a', params: { x: 1 } },
      { id: 2, method: 'b', params: {} },
    ]);
    peer.receive('{"id":2,"result":"two"}');
    peer.receive('{"jsonrpc":"2.0","id":1,"result":"one"}');
    expect(await Promise.all([first, second])).toEqual(['one', 'two']);
  });

  it('takes an id and a code that come back as texts', async () => {
    const { peer, sent } = createPeer();
    const answered = peer.call('a', {});
    peer.receive(JSON.stringify({ id: String((sent[0] as { id: number }).id), error: { code: '429' } }));
    await expect(answered).rejects.toMatchObject({ code: 429 });
  });

  it('carries the version where the peer wants it', () => {
    const { peer, sent } = createPeer({ hasVersion: true });
    peer.notify('ready');
    expect(sent).toEqual([{ jsonrpc: '2.0', method: 'ready' }]);
  });

  it('rejects with the code, the message and the data of an error', async () => {
    const { peer } = createPeer();
    const call = peer.call('a', {});
    peer.receive('{"id":1,"error":{"code":-32000,"message":"no","data":{"why":"x"}}}');
    await expect(call).rejects.toMatchObject({ code: -32000, message: 'no', data: { why: 'x' } });
  });

  it('answers requests of the peer with the result or the error of its handler', async () => {
    const ok = createPeer({ onRequest: (method, params) => Promise.resolve({ method, params }) });
    ok.peer.receive('{"id":"q","method":"ask","params":{"a":1}}');
    await ok.answered;
    expect(ok.sent).toEqual([{ id: 'q', result: { method: 'ask', params: { a: 1 } } }]);

    const unknown = createPeer();
    unknown.peer.receive('{"id":0,"method":"ask","params":[1]}');
    await unknown.answered;
    expect(unknown.sent).toEqual([{ id: 0, error: { code: -32601, message: 'Method not found: ask' } }]);

    const coded = createPeer({ onRequest: () => Promise.reject(new JsonRpcError(7, 'seven', [7])) });
    coded.peer.receive('{"id":0,"method":"ask"}');
    await coded.answered;
    expect(coded.sent).toEqual([{ id: 0, error: { code: 7, message: 'seven', data: [7] } }]);
  });

  it('hides the text of an unexpected error from the peer', async () => {
    const { peer, sent, answered } = createPeer({ onRequest: () => Promise.reject(new Error('secret')) });
    peer.receive('{"id":0,"method":"ask"}');
    await answered;
    expect(sent).toEqual([{ id: 0, error: { code: -32603, message: 'Internal error' } }]);
  });

  it('ignores lines that are no message and answers to nothing', () => {
    const { peer, sent, noticed } = createPeer();
    for (const line of ['', '{', 'null', '[1]', '3', '{"id":9,"result":1}', '{"id":null}', '{"method":4}'])
      peer.receive(line);
    peer.receive('{"method":"hello","params":"no object"}');
    expect([sent, noticed]).toEqual([[], [['hello', {}]]]);
  });

  it('rejects what is open when it closes, and everything after', async () => {
    const { peer, sent } = createPeer();
    const open = peer.call('a', {});
    peer.close();
    await expect(open).rejects.toBeInstanceOf(JsonRpcClosed);
    await expect(peer.call('b', {})).rejects.toBeInstanceOf(JsonRpcClosed);
    peer.notify('late');
    expect(sent).toHaveLength(1);
  });
});
