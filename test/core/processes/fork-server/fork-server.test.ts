import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ForkServer } from '../../../../src/core/processes/fork-server/fork-server.ts';
import { countMarked } from '../../../../src/core/processes/marked-processes.ts';
import { type ProgramOptions, runProgram } from '../../../../src/core/processes/run-program.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';

const child = fileURLToPath(new URL('fork-server-child.ts', import.meta.url));

/** False also for a zombie, which is there until its parent takes note. */
const isRunning = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1') !== '';
  } catch {
    return false;
  }
};

function useServer({ open = true, folder = mkdtempSync(join(tmpdir(), 'svc-fork-')) } = {}) {
  const socket = join(folder, 'fork.sock');
  const server = new ForkServer({ socket, runtime: systemRuntime });
  let runs = 0;
  const run = async (command: string, options: Partial<ProgramOptions> = {}) => {
    const output = { stdout: '', stderr: '' };
    const mark = `fork-server-test/${process.pid}/${folder}/${++runs}`;
    const exit = await runProgram({
      argv: ['/bin/sh', '-c', command],
      cwd: folder,
      env: { PATH: process.env['PATH'] },
      mark,
      signal: new AbortController().signal,
      start: server.start,
      onOutput: (chunk, name) => void (output[name] += chunk.toString()),
      ...options,
    });
    return { exit, ...output, left: await countMarked((found) => found === mark) };
  };
  return {
    server,
    run,
    folder,
    socket,
    ready: open ? server.open() : Promise.resolve(),
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}

describe.runIf(process.platform === 'linux')('programs that another process starts', () => {
  it('have their output, exit code, directory, variables and umask', async () => {
    await using test = useServer();
    await test.ready;
    const found = await test.run('pwd; echo "$WORD" >&2; umask; exit 3', {
      env: { PATH: process.env['PATH'], WORD: 'zwölf "words"\n$HOME' },
      umask: 0o027,
    });
    expect(found).toEqual({
      exit: { code: 3, signal: null },
      stdout: `${test.folder}\n0027\n`,
      stderr: 'zwölf "words"\n$HOME\n',
      left: 0,
    });
  });

  it('keep all of a long output', async () => {
    await using test = useServer();
    await test.ready;
    const { stdout } = await test.run('head -c 3000000 /dev/zero | tr "\\0" a; echo end');
    expect(stdout.length).toBe(3_000_004);
    expect(stdout.endsWith('end\n')).toBe(true);
  });

  it('name the signal that ended them', async () => {
    await using test = useServer();
    await test.ready;
    expect((await test.run('kill -TERM $$')).exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('fail to start in a directory that is gone', async () => {
    await using test = useServer();
    await test.ready;
    const { exit } = await test.run('true', { cwd: join(test.folder, 'gone') });
    expect('error' in exit && (exit.error as NodeJS.ErrnoException).code).toBe('ENOENT');
  });

  it('inherit nothing but their standard descriptors', async () => {
    await using test = useServer();
    await test.ready;
    // The last one is that of the list itself.
    expect((await test.run('ls /proc/self/fd')).stdout).toBe('0\n1\n2\n3\n');
  });

  it('are terminated with what they started, even in other groups', async () => {
    await using test = useServer();
    await test.ready;
    const abort = new AbortController();
    const ended = test.run('setsid sleep 600 & echo started; exec sleep 600', {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect(await ended).toMatchObject({ exit: { code: null, signal: 'SIGTERM' }, left: 0 });
  });

  it('end with the process that started them, and the next ones start from the daemon', async () => {
    await using test = useServer();
    await test.ready;
    const { pid } = test.server;
    const ended = test.run('setsid sleep 600 & echo started; exec sleep 600', {
      onOutput: () => void process.kill(Number(pid), 'SIGKILL'),
    });
    expect(await ended).toMatchObject({ exit: { code: null, signal: 'SIGKILL' }, left: 0 });
    expect((await test.run('echo on')).stdout).toBe('on\n');
    expect(test.server.pid).toBeUndefined();
  });

  it('end with the daemon that is killed, and so does the process that started them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-fork-'));
    const mark = `fork-server-test/${folder}`;
    const daemon = spawn(process.execPath, [child, folder, mark], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(daemon.stdout, 'data')) as [Buffer];
    expect(await countMarked((found) => found === mark)).toBeGreaterThan(0);
    daemon.kill('SIGKILL');
    await expect.poll(() => countMarked((found) => found === mark)).toBe(0);
    await expect.poll(() => isRunning(said.toString().trim())).toBe(false);
    await rm(folder, { recursive: true });
  });

  it('do not mix their outputs', async () => {
    await using test = useServer();
    await test.ready;
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, at) => test.run(`echo ${at}; echo error ${at} >&2; exit ${at}`)),
    );
    expect(all).toEqual(
      all.map((_, at) => ({
        exit: { code: at, signal: null },
        stdout: `${at}\n`,
        stderr: `error ${at}\n`,
        left: 0,
      })),
    );
  });
});

describe.runIf(process.platform === 'linux')('the process that starts programs', () => {
  it('starts with a burst of programs, and not with a few', async () => {
    await using test = useServer({ open: false });
    await test.run('true');
    expect(test.server.pid).toBeUndefined();
    await Promise.all([1, 2, 3, 4].map(() => test.run('true')));
    await expect.poll(() => test.server.pid).toBeDefined();
  });

  it('opens the door only to those who know a secret', async () => {
    await using test = useServer();
    await test.ready;
    const client = connect(test.socket);
    client.write('x'.repeat(64));
    await once(client, 'close');
    expect((await test.run('echo mine')).stdout).toBe('mine\n');
  });

  it('is not there where no socket can be', async () => {
    await using test = useServer({ folder: mkdtempSync(join(tmpdir(), `svc-${'x'.repeat(100)}-`)) });
    await test.ready;
    expect(test.server.pid).toBeUndefined();
    expect((await test.run('echo still')).stdout).toBe('still\n');
  });

  it('leaves no socket behind', async () => {
    const test = useServer();
    await test.ready;
    expect(existsSync(test.socket)).toBe(true);
    await test.server.close();
    await expect.poll(() => existsSync(test.socket)).toBe(false);
    await rm(test.folder, { recursive: true });
  });
});
