import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, outcomeOf, root, said, SvcHome } from '../../svc-binary.ts';

beforeAll(ensureBuilt);

describe('svc and the daemon', () => {
  it('starts one daemon when two clients find none', async () => {
    await using home = await SvcHome.create();
    const run = (word: string) => home.svc(['run', '--agent', 'command', '--', `echo ${word}`]);
    const [one, two] = await Promise.all([run('one'), run('two')]);
    expect([one, two], one.stderr + two.stderr).toMatchObject([
      { code: 0, stdout: 'one\n' },
      { code: 0, stdout: 'two\n' },
    ]);
    const { stdout } = await home.svc(['tasks', 'ls', '--quiet']);
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  it('starts a daemon in CI with --autostart', async () => {
    await using home = await SvcHome.create();
    const args = ['run', '--autostart', '--agent', 'command', '--', 'echo here'];
    expect(await home.svc(args, { env: { CI: 'true' } })).toMatchObject({ code: 0, stdout: 'here\n' });
  });

  it('starts, shows, restarts and stops the daemon', async () => {
    await using home = await SvcHome.create();
    const url = `http://127.0.0.1:${home.port}`;
    const started = await home.svc(['daemon', 'start']);
    expect(started).toEqual({
      code: 0,
      stdout: '',
      stderr: `The daemon is running at ${url} (process ${home.daemonPid}).\n`,
    });
    expect((await home.svc(['daemon', 'start'])).stderr).toContain('already running');
    const first = home.daemonPid;
    // Without a model provider, the default agent cannot run.
    expect((await home.svc(['daemon', 'status'])).stdout).toContain(
      'health   degraded; see why: svc doctor\n',
    );
    const status = await home.svc(['daemon', 'status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ running: true, url, pid: first, status: 'degraded' });
    expect(await home.svc(['daemon', 'restart'])).toMatchObject({ code: 0 });
    expect(home.daemonPid).not.toBe(first);
    const logs = await home.svc(['daemon', 'logs', '-n', '1']);
    expect(JSON.parse(logs.stdout)).toMatchObject({ msg: expect.stringContaining('listens on') as string });
    expect(await home.svc(['daemon', 'stop'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Daemon stopped.\n',
    });
    expect((await home.svc(['daemon', 'status'])).code).toBe(69);
    expect(statSync(join(home.folder, 'daemon.log')).mode & 0o777).toBe(0o600);
  });

  it('serves in the foreground until a signal stops it', async () => {
    await using home = await SvcHome.create();
    const serving = home.start(['daemon', '--port', '0']);
    await said(serving, 'stdout', /listens on/);
    const second = await home.svc(['daemon']);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(/^svc: Another daemon uses this data folder[^\n]*\n$/);
    serving.kill('SIGTERM');
    expect(outcomeOf(await serving).code).toBe(0);
  });

  it('says why the daemon did not start', async () => {
    await using home = await SvcHome.create();
    const other = createServer((_, response) => response.end('hello')).listen(home.port, '127.0.0.1');
    await once(other, 'listening');
    try {
      const { code, stderr } = await home.svc(['daemon', 'start']);
      expect(code).toBe(78);
      expect(stderr).toMatch(/^svc: The daemon did not start: Port \d+ on 127\.0\.0\.1 is already in use\./);
      const listed = await home.svc(['tasks', 'ls']);
      expect(listed.code).toBe(69);
      expect(listed.stderr).toMatch(/The server at \S+ is not svc/);
    } finally {
      other.close();
    }
  });

  it('keeps the command that repairs it apart from the start', async () => {
    await using home = await SvcHome.create();
    writeFileSync(join(home.folder, 'identity'), 'not 32 bytes', { mode: 0o600 });
    const { code, stderr } = await home.svc(['daemon', 'start']);
    expect(code).toBe(78);
    expect(stderr).toMatch(/Restore it: svc devices identity --restore {3}Then: svc daemon start\n$/);
  });

  it('sends no signal to a process that is not the daemon', async () => {
    await using home = await SvcHome.create();
    const file = join(home.folder, 'daemon.json');
    const description = {
      pid: process.pid,
      url: 'http://127.0.0.1:1',
      version: '0',
      startedAt: new Date().toISOString(),
    };
    writeFileSync(file, JSON.stringify(description));
    const { code, stderr } = await home.svc(['daemon', 'stop']);
    expect(code).toBe(69);
    expect(stderr).toContain(`Process ${process.pid} does not respond`);
    writeFileSync(file, '');
  });

  it('fixes permissions that let other users read the data', async () => {
    await using home = await SvcHome.create();
    await home.svc(['daemon', 'start']);
    chmodSync(home.folder, 0o755);
    const found = await home.svc(['doctor']);
    expect(found.code).toBe(1);
    expect(found.stdout).toContain('✗ modes');
    expect((await home.svc(['doctor', '--fix'])).code).toBe(0);
    expect(statSync(home.folder).mode & 0o777).toBe(0o700);
  });

  it('writes the service definition for the system', async () => {
    await using home = await SvcHome.create();
    const link = join(home.folder, 'svc-link');
    symlinkSync(join(root, 'bin/svc.js'), link);
    const folders = ['/opt/bin', '/root/.npm/_npx/1/node_modules/.bin', '/npm/node-gyp-bin', '/usr/bin'];
    const env = {
      PATH: folders.join(':'),
      SVC_TOKEN: 'svc_secret',
      SVC_TASK_ID: 'task_1',
      SVC_SYSTEM_AUTH_MODE: 'cloud',
    };
    const quoted = (await home.bash(`'${process.execPath}' '${link}' daemon install`, { env })).stderr;
    const file = /^Written: (.*)\nNow run:\n {2}\S/.exec(quoted)?.[1] ?? '';
    // Without lingering, the service ends with the session of its user.
    const lingers = existsSync(join('/var/lib/systemd/linger', userInfo().username));
    const isNeeded = process.platform === 'linux' && !lingers;
    expect(quoted.endsWith('\n  loginctl enable-linger\n')).toBe(isNeeded);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(join(root, 'bin/svc.js'));
    expect(text).toMatch(/PATH\W+(<string>)?\/opt\/bin:\/usr\/bin["<]/);
    expect(text).toMatch(/SVC_SYSTEM_AUTH_MODE\W+(key><string>)?cloud/);
    expect(text).not.toMatch(/svc_secret|task_1|svc-link/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await home.svc(['daemon', 'uninstall'])).stderr).toMatch(
      /^Removed: .*\nIf it is running, stop it:\n/,
    );
    expect((await home.svc(['daemon', 'uninstall'])).stderr).toBe('The service is not installed.\n');
  });
});

describe('a start that upgrades the database', () => {
  it('logs each step, and serves', async () => {
    await using home = await SvcHome.create();
    const native = new DatabaseSync(join(home.folder, 'svc.db'));
    native.exec("drop table task_labels; delete from schema_migrations where name = '0035-task-filters'");
    for (const index of ['repository', 'agent', 'priority', 'origin', 'update'])
      native.exec(`drop index tasks_by_${index}`);
    native.close();
    const { code, stdout, stderr } = await home.svc(['tasks', 'ls', '--json']);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ tasks: [] });
    expect(stderr).toMatch(/^Started the daemon at [^\n]*\n$/);
    const log = readFileSync(join(home.folder, 'daemon.log'), 'utf8').trim().split('\n');
    const messages = log.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages.slice(0, 3)).toEqual([
      'copying the database before its upgrade',
      'upgrading the database, step 1 of 1',
      'starting with the upgraded database',
    ]);
  });

  it('is shown by the commands that need the daemon, and can be stopped', async () => {
    await using home = await SvcHome.create();
    const daemon = execa(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { reject: false });
    const starting = { text: 'upgrading the database, step 3 of 7', done: 2, total: 5 };
    writeFileSync(join(home.folder, 'daemon.json'), JSON.stringify({ pid: daemon.pid, starting }));
    const status = await home.svc(['daemon', 'status']);
    expect(status).toEqual({
      code: 69,
      stdout: '',
      stderr: `The daemon is starting (process ${daemon.pid}): upgrading the database, step 3 of 7: 40 %. Wait for it: svc daemon start\n`,
    });
    const asJson = await home.svc(['daemon', 'status', '--json']);
    expect(JSON.parse(asJson.stdout)).toEqual({ running: false, starting: { pid: daemon.pid, ...starting } });
    const listed = await home.svc(['tasks', 'ls', '--no-autostart']);
    expect(listed).toEqual({
      code: 69,
      stdout: '',
      stderr:
        'svc: The daemon is still starting: upgrading the database, step 3 of 7. Wait for it: svc daemon start\n',
    });
    const stopped = await home.svc(['daemon', 'stop']);
    expect(stopped).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Daemon stopped.\nIts next start continues what it was doing: svc daemon start\n',
    });
    expect(await daemon).toMatchObject({ signal: 'SIGTERM' });
    expect((await home.svc(['daemon', 'stop'])).stderr).toBe('No daemon is running.\n');
  });
});
