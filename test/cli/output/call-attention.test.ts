import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { callAttention } from '../../../src/cli/output/call-attention.ts';
import { Output } from '../../../src/cli/output/output.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { until } from '../../helpers/tasks.ts';

afterEach(() => void vi.useRealTimers());

function call(
  env: Record<string, string>,
  {
    isTerminal = true,
    text = 'edit_file needs approval',
    platform = 'linux',
    idleMs,
  }: { isTerminal?: boolean; text?: string; platform?: string; idleMs?: number } = {},
) {
  const stderr = Object.assign(new PassThrough(), { isTTY: isTerminal }) as unknown as NodeJS.WriteStream;
  const stdout = new PassThrough() as unknown as NodeJS.WriteStream;
  const output = new Output({ stdout, stderr }, env);
  const withdraw = callAttention({ output, platform: { env, platform, home: '/' } }, text, idleMs);
  return { written: String(stderr.read() ?? ''), withdraw };
}

/** A directory with a program that notes its arguments, one per line. */
function fakeProgram(name: string) {
  const folder = temporaryFolder();
  const notes = join(folder, 'notes');
  writeFileSync(
    join(folder, name),
    `#!/bin/sh\nfor each; do printf '%s\\n' "$each"; done > ${notes}.new && mv ${notes}.new ${notes}\n`,
  );
  chmodSync(join(folder, name), 0o755);
  const read = () => readFileSync(notes, 'utf8').split('\n').slice(0, -1);
  return { path: `${folder}:/usr/bin:/bin`, shown: () => existsSync(notes), read };
}

it.each([
  ['rings the bell of any terminal', { TERM: 'xterm' }, '\u0007'],
  [
    'shows a notification where OSC 9 does',
    { TERM: 'xterm', TERM_PROGRAM: 'iTerm.app' },
    '\u001b]9;svc: edit_file needs approval\u001b\\\u0007',
  ],
  [
    'shows a notification where OSC 777 does',
    { TERM: 'foot', SVC_NOTIFY: 'terminal' },
    '\u001b]777;notify;svc;edit_file needs approval\u001b\\\u0007',
  ],
  ['rings only the bell where SVC_NOTIFY says so', { TERM: 'foot', SVC_NOTIFY: 'bell' }, '\u0007'],
  ['leaves the terminal out for the desktop', { TERM: 'foot', SVC_NOTIFY: 'desktop' }, '\u0007'],
  ['is silent where SVC_NOTIFY says so', { TERM: 'foot', SVC_NOTIFY: 'off' }, ''],
  ['is silent in CI', { TERM: 'xterm', CI: 'true' }, ''],
])('%s', (_, env, bytes) => {
  expect(call(env).written).toBe(bytes);
});

it('is silent where stderr is no terminal, and passes on no control characters', () => {
  expect(call({ TERM: 'foot' }, { isTerminal: false }).written).toBe('');
  const hostile = call({ TERM: 'foot' }, { text: 'a;b\u001b]0;title\u0007' }).written;
  expect(hostile.split('\u001b')).toHaveLength(3);
  expect(hostile.split('\u0007')).toHaveLength(2);
});

it.each([
  ['on X11', { DISPLAY: ':0' }],
  ['on Wayland', { WAYLAND_DISPLAY: 'wayland-0' }],
  ['instead of the terminal', { DISPLAY: ':0', TERM: 'foot', SVC_NOTIFY: 'desktop' }],
])('shows a notification of the desktop %s', async (_, env) => {
  const program = fakeProgram('notify-send');
  const text = '--icon=x "$(id)" `id`; <b>\u001b[2J';
  call({ TERM: 'xterm', ...env, PATH: program.path }, { text });
  await until(() => expect(program.shown()).toBe(true));
  expect(program.read()).toEqual([
    '--app-name=svc',
    '--',
    String.raw`svc: --icon=x "$(id)" ${'`id`'}; <b>\x1b[2J`,
  ]);
});

it('passes the text to osascript as an argument', async () => {
  const program = fakeProgram('osascript');
  call({ TERM: 'xterm', PATH: program.path }, { platform: 'darwin', text: '-e" with title "x' });
  await until(() => expect(program.shown()).toBe(true));
  const args = program.read();
  expect(args.slice(-2)).toEqual(['svc', '-e" with title "x']);
  expect(args.slice(0, -2).join('\n')).not.toContain('with title "x');
});

it('shows none over SSH, without a desktop, where the terminal shows one, or where SVC_NOTIFY says so', async () => {
  const program = fakeProgram('notify-send');
  const desktop = { TERM: 'xterm', DISPLAY: ':0', PATH: program.path };
  for (const SSH of ['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY'])
    call({ ...desktop, [SSH]: '1', SVC_NOTIFY: 'desktop' });
  call({ TERM: 'xterm', PATH: program.path });
  call({ ...desktop, TERM: 'foot' });
  for (const SVC_NOTIFY of ['terminal', 'bell', 'off']) call({ ...desktop, SVC_NOTIFY });
  call(desktop, { isTerminal: false });
  // Programs start in order: when the last one has run, the others would have.
  const last = fakeProgram('notify-send');
  call({ ...desktop, PATH: last.path });
  await until(() => expect(last.shown()).toBe(true));
  expect(program.shown()).toBe(false);
});

it('never fails without the program', () => {
  expect(call({ TERM: 'xterm', DISPLAY: ':0', PATH: temporaryFolder() }).written).toBe('\u0007');
});

it('waits until the person has done nothing for ten seconds, and can be withdrawn', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [kept, withdrawn] = [fakeProgram('notify-send'), fakeProgram('notify-send')];
  const env = { TERM: 'xterm', DISPLAY: ':0' };
  call({ ...env, PATH: kept.path }, { idleMs: 4000 });
  call({ ...env, PATH: withdrawn.path }, { idleMs: 4000 }).withdraw();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(5999);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  await until(() => expect(kept.shown()).toBe(true));
  expect(withdrawn.shown()).toBe(false);
});
