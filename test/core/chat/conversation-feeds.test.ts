import { expect, it } from 'vitest';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { ConversationFeeds } from '../../../src/core/chat/conversation-feeds.ts';

const text = (delta: string): RunEvent => ({ type: 'text:delta', data: { step: 1, delta }, timestamp: 1 });
/** What a client that joins now is sent. */
async function joined(feeds: ConversationFeeds, after?: string) {
  const events = feeds.open('conv_1', after, new AbortController().signal);
  feeds.close('conv_1');
  const found: unknown[][] = [];
  for await (const { id, data } of events) found.push([id, data.type === 'text:delta' && data.data.delta]);
  return found;
}

it('sends a client that joins late the turn that is under way, and none that is over', async () => {
  const feeds = new ConversationFeeds('e1');
  feeds.begin('conv_1', 'run_1');
  feeds.emit('run_1', text('a'));
  feeds.end('run_1');
  feeds.begin('conv_1', 'run_2');
  feeds.emit('run_2', text('b'));
  feeds.emit('run_other', text('c'));
  expect(await joined(feeds)).toEqual([['run_2:e1:1', 'b']]);
});

it('sends a client that reconnects what it has missed of the last turn', async () => {
  const feeds = new ConversationFeeds('e1');
  feeds.begin('conv_1', 'run_1');
  for (const each of 'abc') feeds.emit('run_1', text(each));
  feeds.end('run_1');
  feeds.emit('run_1', text('late'));
  expect(await joined(feeds, 'run_1:e1:1')).toEqual([
    ['run_1:e1:2', 'b'],
    ['run_1:e1:3', 'c'],
  ]);
});

it('sends the whole turn to a client whose last event is of an earlier start of the daemon', async () => {
  const feeds = new ConversationFeeds('e2');
  feeds.begin('conv_1', 'run_1');
  for (const each of 'ab') feeds.emit('run_1', text(each));
  expect(await joined(feeds, 'run_1:e1:7')).toHaveLength(2);
});

it('drops the oldest events of a turn that is too long to be kept', async () => {
  const feeds = new ConversationFeeds('e1');
  feeds.begin('conv_1', 'run_1');
  for (let at = 0; at < 9; at++) feeds.emit('run_1', text(`${at}${'x'.repeat(700_000)}`));
  const kept = (await joined(feeds)).map(([id]) => id);
  expect(kept.at(-1)).toBe('run_1:e1:9');
  expect(kept.length).toBeLessThan(9);
});

it('ends the stream of a client whose signal aborts', async () => {
  const feeds = new ConversationFeeds('e1');
  const leaving = new AbortController();
  const events = feeds.open('conv_1', undefined, leaving.signal);
  const next = events.next();
  leaving.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});
