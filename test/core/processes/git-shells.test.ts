import { mkdirSync, readFileSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countMarked, processMarker } from '../../../src/core/processes/marked-processes.ts';
import { GitShells } from '../../../src/core/processes/git-shells.ts';
import { GitFailed, TooMuchOutput } from '../../../src/core/processes/run-git.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';

type Call = Parameters<GitShells['run']>[0];

function shells() {
  const all = new GitShells(systemRuntime);
  onTestFinished(() => all.close());
  const run = (program: string, args: string[], more: Partial<Call> = {}) =>
    all.run({
      program,
      args,
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '' },
      umask: 0o022,
      signal: new AbortController().signal,
      ...more,
    });
  const sh = (script: string, more: Partial<Call> & { rest?: string[] } = {}) =>
    run('/bin/sh', ['-c', script, 'sh', ...(more.rest ?? [])], more);
  return { all, run, sh };
}

const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

describe('git in shells that stay', () => {
  it('gets its arguments, its directory and its environment as they are, and nothing of the one before', async () => {
    const { sh } = shells();
    const odd = ["it's", 'two\nlines', '$(echo no) `no` \\n "x"', '*', '', '-n'];
    const list = 'for one; do printf "%s\\0" "$one"; done; printf "%s\\0" "$PWD" "$A" "${B-none}"';
    const directory = join(realpathSync(temporaryFolder()), "a 'b'");
    mkdirSync(directory);
    const first = await sh(list, { rest: odd, cwd: directory, env: { A: "x'y", B: '1' } });
    expect(first.toString().split('\0')).toEqual([...odd, directory, "x'y", '1', '']);
    const second = await sh(list, { rest: ['x'], env: { A: '' } });
    expect(second.toString().split('\0')).toEqual(['x', '/', '', 'none', '']);
  });

  it.each([
    ['no bytes', Buffer.alloc(0)],
    ['each byte', allBytes],
    ['as many as fit into a command', Buffer.alloc(64 * 1024, allBytes)],
    ['more than fit', Buffer.alloc(1024 * 1024, allBytes)],
  ])('reads and writes %s', async (_, bytes) => {
    const { run } = shells();
    expect((await run('/bin/cat', [], { stdin: bytes })).equals(bytes)).toBe(true);
    expect((await run('/bin/cat', [])).length).toBe(0);
  });

  it('fails with what it says and has printed', async () => {
    const { sh } = shells();
    const failed = await sh('echo out; echo first >&2; echo second >&2; exit 128').catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(GitFailed);
    expect(failed).toMatchObject({
      message: expect.stringMatching(/^git .* failed: first\nsecond$/s),
      output: 'out\n',
    });
    expect(String(await sh('exit 1').catch((error: unknown) => error))).toMatch(/failed: $/);
    await expect(sh('head -c 1000000 /dev/zero | tr "\\0" x >&2; exit 1')).rejects.toMatchObject({
      message: expect.stringMatching(/x{2000}$/),
    });
    expect(String(await sh('echo fine'))).toBe('fine\n');
  });

  it('fails where its directory is gone, and does not keep one from being removed', async () => {
    const { sh } = shells();
    const directory = join(temporaryFolder(), 'gone');
    mkdirSync(directory);
    await sh('true', { cwd: directory });
    rmdirSync(directory);
    await expect(sh('echo here', { cwd: directory })).rejects.toBeInstanceOf(GitFailed);
    expect(String(await sh('pwd'))).toBe('/\n');
  });

  it('creates files with the permissions of its call', async () => {
    const { sh } = shells();
    const directory = temporaryFolder();
    for (const umask of [0o022, 0o077, 0o002]) {
      const path = join(directory, String(umask));
      await sh('echo x > "$1"', { umask, rest: [path] });
      expect(statSync(path).mode & 0o777).toBe(0o666 & ~umask);
    }
  });

  it('is killed with what it started when it prints too much, and the next one runs', async () => {
    const { all, sh } = shells();
    const mark = `test/${systemRuntime.newId('x')}`;
    const env = { PATH: process.env['PATH'] ?? '', [processMarker]: mark };
    await expect(sh('sleep 600 & yes', { maxBytes: 1000, env })).rejects.toBeInstanceOf(TooMuchOutput);
    await expect.poll(() => countMarked((found) => found === mark)).toBe(0);
    expect(String(await sh('head -c 1000 /dev/zero | tr "\\0" x', { maxBytes: 1000 }))).toHaveLength(1000);
    await all.close();
  });

  it('is killed with what it started when its signal aborts', async () => {
    const { sh } = shells();
    const mark = `test/${systemRuntime.newId('x')}`;
    const env = { PATH: process.env['PATH'] ?? '', [processMarker]: mark };
    const reason = new Error('stopped');
    const stop = new AbortController();
    const running = sh('sleep 600', { env, signal: stop.signal });
    await expect.poll(() => countMarked((found) => found === mark)).toBeGreaterThan(0);
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect.poll(() => countMarked((found) => found === mark)).toBe(0);
    await expect(sh('true', { signal: stop.signal })).rejects.toBe(reason);
    expect(String(await sh('echo next'))).toBe('next\n');
  });

  it('runs beside others, whose outputs do not mix', async () => {
    const { sh } = shells();
    const outputs = await Promise.all(
      Array.from({ length: 10 }, (_, at) => sh(`for i in 1 2 3; do echo ${at}; done; echo ${at} >&2`)),
    );
    expect(outputs.map(String)).toEqual(outputs.map((_, at) => `${at}\n`.repeat(3)));
  });

  it('shares a shell with the ones before it, which ends when it is closed, and runs after that too', async () => {
    const { all, sh } = shells();
    const parent = async () => Number(String(await sh('echo $PPID')));
    const pid = await parent();
    expect(await parent()).toBe(pid);
    const isAlive = () => readFileSync(`/proc/${pid}/stat`, 'utf8') !== '';
    expect(isAlive()).toBe(true);
    await all.close();
    expect(isAlive).toThrow('ENOENT');
    expect(await parent()).not.toBe(pid);
  });

  it('gets another shell where one was killed', async () => {
    const { sh } = shells();
    await expect(sh('kill -KILL $PPID; sleep 600')).rejects.toBeInstanceOf(GitFailed);
    expect(String(await sh('echo next'))).toBe('next\n');
  });
});
