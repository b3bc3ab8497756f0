import { execFile as run, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Sandbox } from '../../../src/core/processes/sandbox.ts';
import {
  call,
  hasSandbox,
  makeDirectory,
  noSandbox,
  path,
  type TestDirectory,
} from '../tools/commands/command-setup.ts';

const execFile = promisify(run);
const nodeDirectory = dirname(process.execPath);

describe('a sandbox without working bubblewrap', () => {
  it('the sandbox reports that bubblewrap is missing, and checks only once', async () => {
    const sandbox = noSandbox();
    expect(await sandbox.check()).toEqual({
      isWorking: false,
      reason: expect.stringMatching(/not installed|Linux only/),
    });
    expect(sandbox.check()).toBe(sandbox.check());
  });

  it.runIf(process.platform === 'linux')(
    'the sandbox reports the error of bubblewrap if it does not work',
    async () => {
      await using directory = await makeDirectory();
      const script = '#!/bin/sh\necho "bwrap: no namespaces for you" >&2\nexit 1\n';
      await writeFile(join(directory.path, 'bwrap'), script, { mode: 0o755 });
      const sandbox = new Sandbox({ path: directory.path, home: '/root', hiddenDirectories: [] });
      expect(await sandbox.check()).toEqual({
        isWorking: false,
        reason: 'bubblewrap does not work here: bwrap: no namespaces for you',
      });
    },
  );
});

describe.skipIf(!hasSandbox.isWorking)('a sandboxed command (needs bubblewrap)', () => {
  /** Random, so that it occurs nowhere else, such as in caches of the test runner. */
  const planted = `planted-${crypto.randomUUID()}`;
  let home: TestDirectory;
  let data: string;
  let workspace: string;
  let sandbox: Sandbox;
  /** Runs a shell script, as if a user had approved it. */
  const sh = (script: string, options: Partial<Parameters<typeof call>[1]> = {}) =>
    call(
      { command: `sh -c '${script}'`, timeoutMs: 20_000 },
      {
        workspace,
        sandbox,
        env: { SECRET_KEY: planted, PATH: `${nodeDirectory}:${path}` },
        ...options,
      },
    );

  beforeAll(async () => {
    vi.stubEnv('SVC_MASTER_SEED', planted);
    home = await makeDirectory('/var/tmp');
    data = join(home.path, 'data');
    workspace = join(data, 'workspaces', 'task_1');
    await mkdir(workspace, { recursive: true });
    await mkdir(join(data, 'workspaces', 'task_2'));
    await writeFile(join(home.path, '.netrc'), planted);
    await writeFile(join(data, 'identity'), planted);
    await writeFile(join(data, 'workspaces', 'task_2', 'file'), planted);
    sandbox = new Sandbox({ path: `${nodeDirectory}:${path}`, home: home.path, hiddenDirectories: [data] });
    expect(await sandbox.check()).toEqual({ isWorking: true });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await home[Symbol.asyncDispose]();
  });

  it('lets a command write to its workspace', async () => {
    expect(await sh('echo hello > file; cat file; pwd')).toBe(`Exit code 0\n[stdout]\nhello\n${workspace}\n`);
    expect(await readFile(join(workspace, 'file'), 'utf8')).toBe('hello\n');
  });

  it.each([
    ['the home', () => `cat ${home.path}/.netrc`],
    ['the home of the current user', () => `ls -A ${homedir()}`],
    ['the data of the daemon', () => `cat ${data}/identity`],
    ['the workspace of another task', () => `cat ${data}/workspaces/task_2/file`],
    [
      'any copy of the planted secret',
      () =>
        // What was planted is young; a home may hold gigabytes of programs that a PATH makes visible.
        `find ${home.path} /home /root /tmp /var /etc /run -type f -mmin -60 -exec grep -hs ${planted} {} +; grep -s ${planted} /proc/*/environ; echo searched`,
    ],
    ['the environment of the daemon', () => 'cat /proc/1/environ /proc/*/environ; env'],
    ['passwords', () => 'cat /etc/shadow /etc/gshadow /etc/sudoers'],
    ['the keys of the machine', () => 'cat /etc/ssl/private/* /etc/ssh/*'],
  ])('hides %s from a sandboxed command', async (_, script) => {
    const output = await sh(script());
    expect(output).not.toContain('its time limit');
    expect(output).not.toContain(planted);
    expect(output).not.toMatch(/^root:/m);
    expect(output).not.toContain('PRIVATE KEY');
  });

  it('hides a home, except the parents of the workspace', async () => {
    expect(await sh(`ls -A ${home.path}`)).toBe('Exit code 0\n[stdout]\ndata\n');
    expect(await sh(`ls -A ${data}`)).toBe('Exit code 0\n[stdout]\nworkspaces\n');
    expect(await sh(`ls -A ${data}/workspaces`)).toBe('Exit code 0\n[stdout]\ntask_1\n');
  });

  it.each([
    '/usr/x',
    '/etc/x',
    '/x',
    '/dev/x',
    '/home/x',
    '/root/x',
    '/proc/sys/kernel/hostname',
    '/var/tmp/x',
  ])('keeps a sandboxed command from writing to %s', async (target) => {
    expect(await sh(`echo x > ${target} && echo written`)).not.toContain('written');
  });

  it('keeps a command from writing next to the workspace, even to visible directories', async () => {
    for (const target of [`${data}/x`, `${home.path}/x`, `${data}/workspaces/task_2/x`, '../x'])
      expect(await sh(`echo x > ${target} && echo written`)).not.toContain('written');
    expect(readdirSync(data)).toEqual(['identity', 'workspaces']);
    expect(existsSync(join(data, 'workspaces', 'x'))).toBe(false);
  });

  it('keeps a command from leaving the workspace through a link', async () => {
    await symlink(join(data, 'identity'), join(workspace, 'link'));
    await symlink(home.path, join(workspace, 'folder'));
    expect(await sh('cat link folder/.netrc; echo x > folder/written')).not.toContain(planted);
    expect(existsSync(join(home.path, 'written'))).toBe(false);
  });

  it('gives a command its own /tmp', async () => {
    await using other = await makeDirectory('/tmp');
    const output = await sh(`echo x > /tmp/y; ls /tmp; ls ${other.path}`);
    expect(output).toMatch(/^y$/m);
    expect(output).toContain('No such file');
    expect(existsSync('/tmp/y')).toBe(false);
  });

  it('removes root capabilities and keeps a command from gaining any', async () => {
    expect(await sh('grep Cap /proc/self/status')).toMatch(/CapEff:\t0+\n.*CapBnd:\t0+\n/s);
    expect(await sh('test -w /proc/sys/kernel/core_pattern && echo gained')).not.toContain('gained');
    expect(await sh('unshare -Ur true && echo gained')).not.toContain('gained');
    expect(await sh('mkdir /tmp/m; mount -t tmpfs none /tmp/m && echo gained')).not.toContain('gained');
    expect(await sh('chroot / true && echo gained')).not.toContain('gained');
  });

  it('hides other processes and protects them from signals', async () => {
    expect(await sh('ls /proc | grep -c [0-9]')).toMatch(/\n[1-6]\n$/);
    expect(await sh(`kill -0 ${process.pid} && echo reached`)).not.toContain('reached');
  });

  describe('a sandboxed command and the network', () => {
    let server: Server;
    let connections = 0;
    beforeAll(async () => {
      server = createServer((_, response) => response.end('reached')).on('connection', () => connections++);
      await once(server.listen(0, '127.0.0.1'), 'listening');
    });
    afterAll(() => server.close());

    it('the sandbox blocks connections to servers on this machine', async () => {
      const { port } = server.address() as AddressInfo;
      await writeFile(
        join(workspace, 'connect.mjs'),
        `const { connect } = await import('node:net');
         connect(Number(process.argv[2]), '127.0.0.1').on('connect', () => process.stdout.write('reached\\n', () => process.exit())).on('error', (e) => console.log(e.code));`,
      );
      const outside = execFile(process.execPath, [join(workspace, 'connect.mjs'), String(port)]);
      expect((await outside).stdout).toBe('reached\n');
      expect(connections).toBe(1);
      expect(await sh(`node connect.mjs ${port}`)).toContain('ECONNREFUSED');
      expect(connections).toBe(1);
    });

    it('the sandbox provides no network interface and resolves no host name', async () => {
      expect(await sh('cat /proc/net/route | wc -l; ls /sys/class/net 2>&1')).toMatch(/\n1\n/);
      expect(await sh('getent hosts example.org || echo none')).toContain('none');
    });
  });

  describe('a sandboxed command in a git repository', () => {
    let repository: TestDirectory;
    const git = (script: string) => sh(script, { workspace: repository.path });
    beforeAll(async () => {
      repository = await makeDirectory('/var/tmp');
      spawnSync('git', ['init', '-q', repository.path]);
      await mkdir(join(repository.path, '.git', 'hooks'), { recursive: true });
    });
    afterAll(() => repository[Symbol.asyncDispose]());

    it('the sandbox lets a command use git', async () => {
      const output = await git(
        'echo x > file; git add file; git -c user.name=a -c user.email=a@b.c commit -qm first; git log --format=%s; git status --short',
      );
      expect(output).toBe('Exit code 0\n[stdout]\nfirst\n');
    });

    it.each([
      'echo x > .git/hooks/pre-commit',
      'git config core.fsmonitor ./evil',
      'echo x >> .git/config',
      'rm -rf .git/hooks && mkdir .git/hooks',
      'rm .git/config',
      'mv .git/hooks .git/other',
      'mv .git other && mkdir .git',
      'rm -rf .git',
    ])('the sandbox protects what git executes outside of it: %s', async (script) => {
      const config = readFileSync(join(repository.path, '.git/config'), 'utf8');
      expect(await git(`${script} && echo done`)).not.toContain('done');
      expect(readFileSync(join(repository.path, '.git/config'), 'utf8')).toBe(config);
      expect(
        readdirSync(join(repository.path, '.git/hooks')).filter((name) => !name.endsWith('.sample')),
      ).toEqual([]);
    });
  });

  it('the sandbox hides files that no tool may read', async () => {
    await using directory = await makeDirectory('/var/tmp');
    await mkdir(join(directory.path, 'app', '.ssh'), { recursive: true });
    await writeFile(join(directory.path, 'app', '.env'), planted);
    await writeFile(join(directory.path, 'app', '.ssh', 'id'), planted);
    await writeFile(join(directory.path, 'app', 'plain'), 'shown\n');
    const options = { workspace: directory.path, mayRead: (one: string) => !/\.(env|ssh)$/.test(one) };
    const output = await sh(
      'cat app/plain; cat app/.env app/.ssh/id; grep -r planted .; echo x > app/.env',
      options,
    );
    expect(output).toContain('shown');
    expect(output).not.toContain(planted);
    expect(await readFile(join(directory.path, 'app', '.env'), 'utf8')).toBe(planted);
  });

  it('the sandbox hides the directories of the daemon inside a workspace', async () => {
    const own = new Sandbox({
      path,
      home: home.path,
      hiddenDirectories: [join(data, 'workspaces'), data, data, '/no/such'],
    });
    expect(await own.check()).toEqual({ isWorking: true });
    const options = { workspace: home.path, sandbox: own, mayRead: (one: string) => !one.startsWith(data) };
    const output = await sh('cat data/identity; cat .netrc; echo; ls -A data', options);
    expect(output).toContain(`[stdout]\n${planted}\nworkspaces\n`);
    expect(output).toContain('[stderr]\ncat: data/identity: No such file');
    expect(await sh('echo x > data/y && echo written', options)).not.toContain('written');
    expect(await call('ls -A data', { ...options, workspace })).toMatch(/No such file/);
  });

  it('the sandbox refuses the root or a hidden directory as the workspace', async () => {
    await expect(sh('true', { workspace: '/' })).rejects.toThrow('The root directory');
    await expect(sh('true', { workspace: data })).rejects.toThrow('hidden from commands');
  });

  it('finds programs of a PATH entry in the home, but no other files there', async () => {
    const prefix = join(home.path, '.tools', 'v1');
    await mkdir(join(prefix, 'bin'), { recursive: true });
    await mkdir(join(prefix, 'lib'));
    await mkdir(join(prefix, 'share'));
    await writeFile(join(prefix, 'lib', 'words'), 'from lib\n');
    await writeFile(join(prefix, 'share', 'key'), planted);
    await writeFile(join(prefix, 'bin', 'say'), `#!/bin/sh\ncat ${prefix}/lib/words\nls ${prefix}\n`, {
      mode: 0o755,
    });
    const withTools = `${prefix}/bin:${home.path}:${data}:relative:${path}`;
    const own = new Sandbox({ path: withTools, home: home.path, hiddenDirectories: [data] });
    expect(await own.check()).toEqual({ isWorking: true });
    const options = { workspace, sandbox: own, env: { PATH: withTools } };
    expect(await call('say', options)).toBe('Exit code 0\n[stdout]\nfrom lib\nbin\nlib\n');
    expect(
      await sh(`echo x > ${prefix}/bin/say; cat ${home.path}/.netrc ${data}/identity`, options),
    ).not.toContain(planted);
  });
});
