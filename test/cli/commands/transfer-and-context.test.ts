import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, outcomeOf, said, SvcHome } from '../svc-binary.ts';

beforeAll(ensureBuilt);

describe('svc tasks', () => {
  it('exports tasks and imports them into another daemon', async () => {
    await using home = await SvcHome.create();
    await using other = await SvcHome.create();
    await home.svc(['run', '--agent', 'command', '--', 'echo kept']);
    const file = join(home.folder, 'tasks.json');
    expect(await home.svc(['tasks', 'export', '--output', file])).toMatchObject({ code: 0, stdout: '' });
    const { stdout } = await home.svc(['tasks', 'export']);
    expect((JSON.parse(stdout) as { tasks: unknown }).tasks).toEqual(
      (JSON.parse(readFileSync(file, 'utf8')) as { tasks: unknown }).tasks,
    );
    const imported = await other.svc(['tasks', 'import', file]);
    expect(imported.stderr).toContain('Imported 1 of 1 tasks, 0 already existed.');
    const again = await other.svc(['tasks', 'import', '-', '--json'], { stdin: readFileSync(file, 'utf8') });
    expect(JSON.parse(again.stdout)).toMatchObject({ imported: 0, skipped: 1 });
  });

  it('imports in parts, and says which tasks of all were wrong', async () => {
    await using home = await SvcHome.create();
    const task = (n: number) => ({
      id: `task_${n}`,
      title: n === 1500 ? '' : `Task ${n}`,
      status: 'completed',
      priority: 2,
      source: 'api',
      labels: [],
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    const body = JSON.stringify({ version: '1', tasks: Array.from({ length: 2100 }, (_, n) => task(n)) });
    const first = await home.svc(['tasks', 'import', '-', '--json'], { stdin: body });
    expect(JSON.parse(first.stdout), first.stderr).toMatchObject({
      message: 'Imported 2099 of 2100 tasks',
      imported: 2099,
      skipped: 0,
      errors: [{ index: 1500, error: expect.stringMatching(/^title: /) as string }],
    });
    expect(first).toMatchObject({ code: 6, stderr: expect.not.stringContaining('importing') as string });
    const again = await home.svc(['tasks', 'import', '-'], { stdin: body });
    expect(again.stderr).toMatch(/^Imported 0 of 2100 tasks, 2099 already existed\.\n {2}task 1500: title/);
  });

  it('watches all tasks', async () => {
    await using home = await SvcHome.create();
    const watching = home.start(['tasks', 'watch']);
    await said(watching, 'stderr', /Watching/);
    const completed = said(watching, 'stdout', / {2}completed\n/);
    await home.svc(['run', '--agent', 'command', '--', 'true']);
    expect(await completed).toMatch(/^\d\d:\d\d:\d\d {2}task_\S+ {2}created: true\n/);
    watching.kill('SIGINT');
    await watching;
  });

  it('runs a failed command again only on request, and requeues a detached task that failed', async () => {
    await using home = await SvcHome.create();
    const fails = 'test -e "$HOME/mended" || exit 1';
    const attached = await home.svc(['run', '--agent', 'command', '--', fails]);
    expect(attached).toMatchObject({ code: 1, stderr: expect.not.stringContaining('attempt 2') as string });
    expect((await home.svc(['dlq', 'ls'])).stderr).toContain('No pending dead letters.');
    const detached = await home.svc(['run', '--detach', '--agent', 'command', '--', fails]);
    const id = detached.stdout.trim();
    expect((await home.svc(['tasks', 'wait', id])).code).toBe(1);
    expect((await home.svc(['dlq', 'ls'])).stdout).toContain(fails);
    await home.bash('touch "$HOME/mended"');
    expect(await home.svc(['dlq', 'retry', '--all'])).toMatchObject({
      code: 0,
      stderr: `${id} requeued\n`,
    });
    expect((await home.svc(['tasks', 'wait', id])).code).toBe(0);
    expect(await home.svc(['dlq', 'retry', '--all'])).toMatchObject({
      code: 0,
      stderr: 'No pending dead letters.\n',
    });
  });

  it('continues after a wrong ID and exits with its code', async () => {
    await using home = await SvcHome.create();
    const { stdout } = await home.svc(['run', '--detach', '--agent', 'command', '--', 'sleep 600']);
    const id = stdout.trim();
    const cancelled = await home.svc(['tasks', 'cancel', 'nothing', id]);
    expect(cancelled).toMatchObject({ code: 5, stdout: `${id}\n` });
  });
});

describe('svc context', () => {
  it('keeps the session of another daemon, readable only by its owner', async () => {
    await using home = await SvcHome.create();
    await using client = await SvcHome.create();
    await home.svc(['daemon', 'start']);
    const url = `http://127.0.0.1:${home.port}`;
    const session = readFileSync(join(home.folder, 'owner-session'), 'utf8');
    await client.svc(['context', 'set', 'other', '--url', url, '--token-stdin'], { stdin: session });
    expect(statSync(join(client.folder, 'contexts.json')).mode & 0o777).toBe(0o600);
    expect((await client.svc(['context', 'use', 'other'])).code).toBe(0);
    expect((await client.svc(['auth', 'whoami'])).stdout).toContain(`at ${url}`);
    const listed = await client.svc(['context', 'ls', '--json']);
    expect(listed.stdout).not.toContain(session.trim());
    // The owner session of this machine is not for another daemon, and none is started in its place.
    const signedOut = await client.svc(['auth', 'whoami', '--url', url]);
    expect(signedOut).toMatchObject({ code: 4, stdout: '' });
    await home.svc(['daemon', 'stop']);
    expect((await client.svc(['tasks', 'ls'])).code).toBe(69);
    expect((await client.svc(['context', 'rm', 'other'])).code).toBe(0);
    expect((await client.svc(['context', 'ls'])).stdout).toMatch(/\* {2}local/);
  });
});

describe('svc config and svc auth', () => {
  it('changes settings and reports when a restart is needed', async () => {
    await using home = await SvcHome.create();
    const live = await home.svc(['config', 'set', 'queue.retry.attempts', '5']);
    expect(live).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('queue.retry.attempts is 5 (settings).') as string,
    });
    const later = await home.svc(['config', 'set', 'queue.concurrency', '4']);
    expect(later.stderr).toContain('will be 4 after a restart: svc daemon restart');
    for (const value of ['many', '[1]']) {
      const refused = await home.svc(['config', 'set', 'queue.concurrency', value]);
      expect(refused).toMatchObject({ code: 6, stdout: '' });
      expect(refused.stderr).not.toContain('is a list');
    }
    const list = ['config', 'set', 'outbound.allowPrivate'];
    const both = '["10.20.0.0/16","10.30.0.0/16"]';
    for (const value of ['10.20.0.0/16, 10.30.0.0/16', both]) {
      expect((await home.svc([...list, value])).code).toBe(0);
      const stored = JSON.parse(readFileSync(join(home.folder, 'settings.json'), 'utf8')) as object;
      expect(stored).toMatchObject({ outbound: { allowPrivate: JSON.parse(both) as object } });
    }
    const scopes = ['config', 'set', 'integrations.github.scopes'];
    const text = await home.svc([...scopes, 'repo']);
    expect(text).toMatchObject({ code: 6, stderr: expect.stringContaining('Write it as JSON: ') as string });
    expect((await home.svc([...scopes, '["repo"]'])).code).toBe(0);
    const key = 'integrations.github.clientSecret';
    expect(await home.svc(['config', 'set', key, 'in-the-arguments'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`svc config set ${key} < FILE`),
    });
    expect((await home.svc(['config', 'set', key], { stdin: 'hush-hush\n' })).code).toBe(0);
    expect((await home.svc(['config', 'get', key])).stdout).toBe('••••••••\n');
    // The key of earlier versions means the same setting.
    const before = 'integrations.codehost.clientId';
    expect((await home.svc(['config', 'set', before, 'ours'])).stderr).toContain(
      'integrations.github.clientId is ours',
    );
    expect((await home.svc(['config', 'get', before])).stdout).toBe('ours\n');
    expect((await home.svc(['config', 'unset', before])).stderr).toContain(
      'integrations.github.clientId is unset',
    );
    expect((await home.svc(['config', 'unset', 'queue.retry.attempts'])).stderr).toContain('is 3 (default)');
  });

  it('sets a valid access key and shows it once', async () => {
    await using home = await SvcHome.create();
    const { code, stdout } = await home.svc(['auth', 'access-key']);
    expect(code).toBe(0);
    const key = stdout.trim();
    expect(key).toMatch(/^[\w-]{24}$/);
    const response = await fetch(`http://127.0.0.1:${home.port}/api/auth/verify-access-key`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    });
    expect(response.status).toBe(200);
    expect((await home.svc(['auth', 'access-key', '--remove'])).code).toBe(0);
  });

  it('follows a task in a paused queue', async () => {
    await using home = await SvcHome.create();
    await home.svc(['queue', 'pause']);
    const running = home.start(['run', '--agent', 'command', '--', 'echo at last']);
    await said(running, 'stderr', /waiting for a worker/);
    const { stdout } = await home.svc(['queue', 'status']);
    expect(stdout).toMatch(/^state +paused/);
    expect(stdout).toMatch(/^interactive +0 of 32 slots, 0 waiting$/m);
    expect(stdout).toMatch(/^agent:builtin +0 of 32 slots, 0 waiting$/m);
    await home.svc(['queue', 'resume']);
    expect(outcomeOf(await running)).toMatchObject({ code: 0, stdout: 'at last\n' });
  });
});
