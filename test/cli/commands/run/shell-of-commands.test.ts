import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, outcomeOf, root, said, SvcHome } from '../../svc-binary.ts';

let home: SvcHome;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
});
afterAll(() => home[Symbol.asyncDispose]());

const command = ['run', '--agent', 'command'];
const run = (line: string, options: string[] = [], env: Record<string, string> = {}) =>
  home.svc([...command, ...options, '--', line], { cwd: home.folder, env });

describe('a command of svc run', () => {
  it.each([
    ['022', '644 755'],
    ['002', '664 775'],
  ])(
    'creates files with the umask %s of the caller, while those of svc are private',
    async (umask, modes) => {
      const directory = join(home.folder, `with-${umask}`);
      mkdirSync(directory);
      const outcome = await home.bash(
        `umask ${umask}; svc run --agent command -- 'touch f; mkdir d; stat -c %a f d'`,
        { cwd: directory },
      );
      expect(outcome).toMatchObject({ code: 0, stdout: `${modes.replace(' ', '\n')}\n` });
      for (const name of ['svc.db', 'owner-session', 'daemon.json'])
        expect(statSync(join(home.folder, name)).mode & 0o777, name).toBe(0o600);
    },
  );

  it('finds the programs of the caller and writes in the language of the caller', async () => {
    const programs = join(home.folder, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'greet'), '#!/bin/sh\necho "hello in $LANG"\n', { mode: 0o755 });
    const path = `${programs}:${process.env['PATH'] ?? ''}`;
    expect(await run('greet', [], { PATH: path, LANG: 'nb_NO.UTF-8' })).toMatchObject({
      code: 0,
      stdout: 'hello in nb_NO.UTF-8\n',
    });
  });

  it('gets the variables that options name, and no others', async () => {
    const file = join(home.folder, 'variables');
    writeFileSync(file, '# a comment\nA=from-file\nB="two words"\n');
    const options = ['--env-file', file, '--env', 'A=given', '--env', 'PASSED'];
    const outcome = await run('echo "$A $B $PASSED [$NOT_PASSED]"', options, {
      PASSED: 'on',
      NOT_PASSED: 'secret',
    });
    expect(outcome).toMatchObject({ code: 0, stdout: 'given two words on []\n' });
  });

  it('is refused a variable that is not set, and a file that is not there', async () => {
    expect(await run('true', ['--env', 'NOT_SET'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The environment variable NOT_SET is not set'),
    });
    expect(await run('true', ['--env-file', '/no/such/file'])).toMatchObject({
      code: 2,
      stderr: 'svc: /no/such/file: no such file or directory.\n',
    });
  });

  it('is read from --env-file by svc alone, however Node.js is started', async () => {
    const file = join(home.folder, 'for-node');
    writeFileSync(file, 'NODE_OPTIONS=--no-such-option\n');
    const program = join(root, 'bin/svc.js');
    const asInstalled = (variables: string) =>
      home.bash(`'${program}' run --agent command --env-file '${variables}' -- 'echo "$NODE_OPTIONS"'`);
    expect(await asInstalled(file)).toMatchObject({ code: 0, stdout: '--no-such-option\n' });
    expect(await asInstalled('/no/such/file')).toMatchObject({ code: 2 });
  });

  it('is the only one that takes variables', async () => {
    const { code, stderr } = await home.svc(['run', '--agent', 'builtin', '--env', 'A=1', 'Hello']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('runs commands takes') });
  });
});

describe('the output of svc run', () => {
  it('arrives while the command runs', async () => {
    const running = home.start([
      ...command,
      '--cwd',
      home.folder,
      '--',
      'echo now; until [ -e on ]; do sleep 0.02; done',
    ]);
    await said(running, 'stdout', /now/);
    writeFileSync(join(home.folder, 'on'), '');
    expect(outcomeOf(await running)).toMatchObject({ code: 0, stdout: 'now\n' });
  });

  it('is what the command wrote, byte for byte', async () => {
    const outcome = await home.bash(
      `head -c 3000000 /dev/urandom > raw
      svc run --agent command -- 'cat raw; head -c 1000 raw >&2' > out 2> err; echo $?
      cmp raw out; grep -aq done err || echo no end; head -c 1000 raw > few
      id=$(svc tasks ls -q --limit 1); svc tasks output $id | cmp - raw; svc tasks output --stderr $id | cmp - few`,
      { cwd: home.folder },
    );
    expect(outcome).toMatchObject({ code: 0, stdout: '0\n' });
  });

  it('stays that of one attempt when the daemon is killed in the middle', async () => {
    const line = 'seq 20000; if [ -e killed ]; then seq 20001 40000; else sleep 600; fi';
    const running = home.start([...command, '--cwd', home.folder, '--', line]);
    await said(running, 'stdout', /\n20000\n/);
    writeFileSync(join(home.folder, 'killed'), '');
    process.kill(home.daemonPid, 'SIGKILL');
    await home.svc(['daemon', 'start']);
    const { code, stdout } = outcomeOf(await running);
    expect(code).toBe(0);
    expect(stdout).toBe(Array.from({ length: 40_000 }, (_, at) => `${at + 1}\n`).join(''));
  });
});
