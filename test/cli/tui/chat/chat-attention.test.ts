import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Approval } from '../../../../src/contract/approvals.ts';
import { Output } from '../../../../src/cli/output/output.ts';
import { ChatAttention } from '../../../../src/cli/tui/chat/chat-attention.ts';
import { beginRun, emptyRun, finishRun, type RunState } from '../../../../src/cli/tui/parts/run-state.ts';
import { temporaryFolder } from '../../../helpers/daemon.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A chat on a desktop whose program for notifications is missing; what waits to be shown is counted. */
function openChat() {
  const env = { TERM: 'xterm', DISPLAY: ':0', PATH: temporaryFolder() };
  const stderr = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.WriteStream;
  const stdout = new PassThrough() as unknown as NodeJS.WriteStream;
  const output = new Output({ stdout, stderr }, env);
  let now = 0;
  let state: RunState = emptyRun;
  const attention = new ChatAttention({ output, platform: { env, platform: 'linux', home: '/' } }, () => now);
  return {
    to(next: RunState, atMs: number) {
      now = atMs;
      attention.update(state, next);
      state = next;
      return { waiting: vi.getTimerCount(), bells: String(stderr.read() ?? '').length };
    },
  };
}
const asking = (id: string): Approval => ({ id, toolName: 'run_command' }) as Approval;

it('waits with a notification of the desktop while the person may still be there', () => {
  const chat = openChat();
  const running = beginRun(emptyRun, 0);
  expect(chat.to(running, 0)).toEqual({ waiting: 0, bells: 0 });
  expect(chat.to({ ...running, approvals: [asking('a')] }, 3000)).toEqual({ waiting: 1, bells: 1 });
  // Decided: nothing is left to show.
  expect(chat.to(running, 4000)).toEqual({ waiting: 0, bells: 0 });
  expect(chat.to({ ...running, approvals: [asking('b')] }, 5000)).toEqual({ waiting: 1, bells: 1 });
  expect(chat.to({ ...running, approvals: [asking('c')] }, 6000)).toEqual({ waiting: 1, bells: 1 });
  expect(chat.to(running, 7000)).toEqual({ waiting: 0, bells: 0 });
  // Long after the last decision it is shown at once.
  expect(chat.to(finishRun(running, 'done', 60_000), 60_000)).toEqual({ waiting: 0, bells: 1 });
});
