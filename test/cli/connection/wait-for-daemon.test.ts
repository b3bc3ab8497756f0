import { expect, it } from 'vitest';
import type { DaemonDescription, StartingDaemon } from '../../../src/cli/connection/daemon-file.ts';
import { waitForDaemon } from '../../../src/cli/connection/wait-for-daemon.ts';

const ready: DaemonDescription = { pid: 7, url: 'http://127.0.0.1:1', version: '1', startedAt: '' };

/** What can be seen of a daemon at each second; the last view stays. */
interface View {
  ready?: boolean;
  text?: string;
  touchedAt?: number;
  exitReason?: string;
  isDead?: boolean;
}

async function watch(viewAt: (second: number) => View, interruptAt = Infinity) {
  let time = 0;
  const shown: string[] = [];
  const stopping = new AbortController();
  const view = () => viewAt(Math.floor(time / 1000));
  const look = (): StartingDaemon | undefined => {
    const { text, touchedAt = 0 } = view();
    return text === undefined ? undefined : { pid: 7, step: { text, done: 0, total: 0 }, touchedAt };
  };
  const result = await waitForDaemon({
    find: async () => (view().ready ? ready : undefined),
    look,
    isAlive: () => !view().isDead,
    exitReason: () => view().exitReason,
    show: ({ text }) => shown.at(-1) !== text && shown.push(text),
    fail: (reason) => new Error(reason),
    signal: stopping.signal,
    now: () => time,
    pause: async (ms) => {
      time += ms;
      if (time >= interruptAt) stopping.abort(new Error('interrupted'));
      stopping.signal.throwIfAborted();
    },
  }).catch((error: unknown) => (error as Error).message);
  return { result, seconds: Math.round(time / 1000), shown };
}

it('waits for an upgrade of an hour that gives signs of life, and shows its steps', async () => {
  const outcome = await watch((second) =>
    second < 3600 ? { text: second < 60 ? 'copying' : 'upgrading', touchedAt: second } : { ready: true },
  );
  expect(outcome).toEqual({ result: ready, seconds: 3600, shown: ['copying', 'upgrading'] });
});

it('gives up 30 s after the last sign of life', async () => {
  const never = await watch(() => ({}));
  expect(never).toMatchObject({ result: 'it has given no sign of life for 30 s', seconds: 30 });
  const frozen = await watch((second) => ({ text: 'upgrading', touchedAt: Math.min(second, 100) }));
  expect(frozen).toMatchObject({ result: 'it has given no sign of life for 30 s', seconds: 130 });
});

it('gives up when the daemon has exited', async () => {
  const own = await watch((second) => (second < 2 ? {} : { exitReason: 'it exited with SIGKILL' }));
  expect(own).toMatchObject({ result: 'it exited with SIGKILL', seconds: 2 });
  const other = await watch((second) =>
    second < 5 ? { text: 'upgrading', touchedAt: second } : { isDead: true },
  );
  expect(other).toMatchObject({ result: 'the daemon that was starting has exited', seconds: 5 });
});

it('ends with the reason of an interrupt', async () => {
  expect(await watch(() => ({}), 4000)).toMatchObject({ result: 'interrupted', seconds: 4 });
});
