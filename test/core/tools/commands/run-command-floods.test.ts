import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';
import { everyNth } from '../../../helpers/long.ts';
import {
  call,
  type CallOptions,
  hasSandbox,
  makeDirectory,
  noSandbox,
  path,
  type TestDirectory,
} from './command-setup.ts';

/** Two seconds are promised; a busy machine gets far more, and what is not killed runs for a minute. */
const GONE_MS = 20_000;

let workspace: TestDirectory;
let word = '';
let count = 0;
beforeEach(async () => {
  workspace = await makeDirectory('/var/tmp');
  word = `flood${process.pid}x${count++}`;
});
afterEach(() => workspace[Symbol.asyncDispose]());

/** The processes whose command line contains the word of this test. */
const alive = () =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && isOurs(name));

function isOurs(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word);
  } catch {
    // The process has exited meanwhile.
    return false;
  }
}

const inSandbox = new Sandbox({ path, home: '/root', hiddenDirectories: [] });
const environments: [string, () => CallOptions][] = [
  ['without a sandbox', () => ({ workspace: workspace.path, sandbox: noSandbox(), mayRunCommands: true })],
];
if (hasSandbox.isWorking)
  environments.push(['in the sandbox', () => ({ workspace: workspace.path, sandbox: inSandbox })]);

/** Runs a script under a name that all its processes have in their command line. */
async function script(text: string, options: CallOptions, timeoutMs = 60_000): Promise<string> {
  await writeFile(join(workspace.path, word), text);
  return call({ command: `sh ./${word} ${word}`, timeoutMs }, options);
}

const started = () =>
  vi.waitFor(() => readFileSync(join(workspace.path, 'started')), { timeout: 10_000, interval: 20 });

describe.runIf(process.platform === 'linux').each(environments)('a command %s', (environment, options) => {
  const stubborn: [string, string][] = [
    ['hangs', 'echo > started; sleep 60'],
    ['ignores TERM', 'trap "" TERM INT HUP; echo > started; while :; do sleep 1; done'],
    [
      'leaves children that ignore TERM',
      `(trap "" TERM; sh -c "while :; do sleep 1; done" $1) & echo > started; wait`,
    ],
    ['starts a new session', 'setsid sh -c "sleep 60; :" $1 & echo > started; wait'],
    ['floods its output', 'echo > started; while :; do echo $1; echo $1 >&2; done'],
    ['spins the CPU', 'echo > started; while :; do :; done'],
    [
      'starts many processes',
      'echo > started; i=0; while [ $i -lt 100 ]; do sh -c "sleep 60; :" $1 & i=$((i+1)); done; wait',
    ],
  ];
  if (environment === 'in the sandbox')
    stubborn.push([
      'starts a new session without the mark',
      'env -i /usr/bin/setsid sh -c "sleep 60; :" $1 & echo > started; wait',
    ]);

  // What is left out in one environment is tried in the other.
  const shift = environment === 'in the sandbox' ? 1 : 0;
  it.each(everyNth(2, stubborn, shift))('kills a command that %s after an abort', async (_, text) => {
    const stop = new AbortController();
    const run = script(text, { ...options(), signal: stop.signal });
    await started();
    expect(alive().length).toBeGreaterThan(0);
    const before = performance.now();
    stop.abort(new Error('stopped'));
    await expect(run).rejects.toThrow('stopped');
    await vi.waitFor(() => expect(alive()).toEqual([]), { timeout: GONE_MS, interval: 20 });
    expect(performance.now() - before).toBeLessThan(GONE_MS);
  });

  it.each(everyNth(2, stubborn, shift + 1))('kills a command that %s after its timeout', async (_, text) => {
    const content = await script(text, options(), 600);
    expect(content).toMatch(/^Stopped after 600 ms, its time limit\n/);
    await vi.waitFor(() => expect(alive()).toEqual([]), { timeout: GONE_MS, interval: 20 });
  });

  it.each([
    ['in the background', 'sh -c "sleep 60; :" $1 & echo done'],
    ['in a session of its own', 'setsid sh -c "sleep 60; :" $1 >/dev/null 2>&1 & echo done'],
  ])('a command leaves no process behind %s', async (_, text) => {
    expect(await script(text, options())).toBe('Exit code 0\n[stdout]\ndone\n');
    await vi.waitFor(() => expect(alive()).toEqual([]), { timeout: GONE_MS, interval: 20 });
  });

  it('lets a command clean up on SIGTERM', async () => {
    const text = 'trap "echo cleaned > traces; echo bye; exit 3" TERM; echo > started; sleep 60 & wait';
    expect(await script(text, options(), 1500)).toBe(
      'Stopped after 1500 ms, its time limit\n[stdout]\nbye\n',
    );
    expect(readFileSync(join(workspace.path, 'traces'), 'utf8')).toBe('cleaned\n');
  });

  it('keeps the start and the end of 100 MB of output with little memory', async () => {
    const before = process.memoryUsage().rss;
    let highest = 0;
    const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 20);
    const content = await script('echo the start; yes flood | head -c 100M; echo; echo the end', options());
    clearInterval(watch);
    expect(content).toMatch(/^Exit code 0\n\[stdout\]\nthe start\nflood\n[^]*bytes left out[^]*\nthe end\n$/);
    expect(content.length).toBeLessThan(50_000);
    expect(highest - before).toBeLessThan(200 * 1024 * 1024);
  });

  it('does not start a command if the signal is already aborted', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(script('echo > started', { ...options(), signal })).rejects.toThrow('too late');
    expect(readdirSync(workspace.path)).toEqual([word]);
  });

  const doomed =
    environment === 'in the sandbox' ? [environment, 'in a sandbox that is starting'] : [environment];
  it.each(doomed)('kills a command with the daemon: %s', async (kind) => {
    await writeFile(join(workspace.path, word), 'echo > started; sh -c "sleep 60; :" $1');
    const daemon = spawn(
      process.execPath,
      [
        new URL('run-command-child.ts', import.meta.url).pathname,
        kind,
        workspace.path,
        `sh ./${word} ${word}`,
      ],
      { stdio: 'inherit' },
    );
    await started();
    daemon.kill('SIGKILL');
    await once(daemon, 'close');
    await vi.waitFor(() => expect(alive()).toEqual([]), { timeout: GONE_MS, interval: 20 });
  });
});

describe.skipIf(!hasSandbox.isWorking || process.getuid?.() === 0)(
  'a fork bomb (needs bubblewrap, and not root)',
  () => {
    it('stops a fork bomb by the process limit', async () => {
      const content = await script(
        'f() { f | f & }; f; sleep 1',
        { workspace: workspace.path, sandbox: inSandbox },
        5000,
      );
      expect(content).toMatch(/fork/i);
    });
  },
);
