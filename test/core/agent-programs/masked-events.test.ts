import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunEventInput } from '../../../src/contract/run-events.ts';
import { MaskedEvents } from '../../../src/core/agent-programs/masked-events.ts';
import { secretsIn } from '../../../src/core/agents/agent-secrets.ts';

const KEY = 'sk-live-4242aaaa';

function textOf(pieces: readonly string[]): string {
  const events: RunEventInput[] = [];
  const masked = new MaskedEvents([KEY], (event) => events.push(event));
  for (const delta of pieces) masked.add({ type: 'text:delta', data: { step: 1, delta } });
  masked.flush();
  return events.map((event) => (event.type === 'text:delta' ? event.data.delta : '')).join('');
}

it('masks a secret however it is cut into pieces, and changes nothing else', () => {
  const text = `before sk-live ${KEY} between sk-li after sk-live-4242`;
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
      expect(textOf(pieces)).toBe('before sk-live •••• between sk-li after sk-live-4242');
    }),
  );
});

it('masks secrets anywhere in another event, after the text before it', () => {
  const events: RunEventInput[] = [];
  const masked = new MaskedEvents([KEY], (event) => events.push(event));
  masked.add({ type: 'text:delta', data: { step: 1, delta: 'sk-' } });
  masked.add({
    type: 'tool:result',
    data: { toolCallId: 'c', result: { success: true, content: `KEY=${KEY}` } },
  });
  expect(events).toMatchObject([
    { type: 'text:delta', data: { delta: 'sk-' } },
    { type: 'tool:result', data: { result: { content: 'KEY=••••' } } },
  ]);
});

it('takes only what its name calls a secret for one', () => {
  expect(secretsIn({ API_KEY: KEY, BASE_URL: 'http://127.0.0.1' }, { DB_PASSWORD: 'correct horse' })).toEqual(
    [KEY, 'correct horse'],
  );
  expect(secretsIn({ TOKEN: 'abc' })).toEqual([]);
});
