import { readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locate } from '../../../src/contract/locations.ts';
import { restoreHome } from '../../../src/core/backup/restore-home.ts';
import { storeBackup, type StoredBackup } from '../../../src/core/backup/store-backup.ts';
import { version } from '../../../src/core/version.ts';
import { startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { isPro } from '../../helpers/pro.ts';
import { memoryFolder } from '../../helpers/memory-folder.ts';
import { follow, testAdapter } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

const folder = memoryFolder();
const extraAdapters = [testAdapter(async () => ({ output: 'done' }))];
const flags = { 'outbound.allowPrivate': ['127.0.0.1/32'] };
let daemon: TestDaemon;
let number = 0;

beforeAll(async () => {
  daemon = await startDaemon({ extraAdapters, flags });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const request = (of = daemon, headers: Record<string, string> = of.headers) =>
  fetch(`${of.url}/api/backups`, { method: 'POST', headers });

/** A backup of the daemon as a client writes it, checked. */
async function backUp(): Promise<StoredBackup> {
  const { body, status } = await request();
  expect(status).toBe(200);
  if (!body) throw new Error('no body');
  return storeBackup(Readable.fromWeb(body), join(folder, `${number++}.tar.gz`));
}

/** The copies that a backup is made of are there for as long as it is made. */
const untilNoneIsMade = () =>
  expect
    .poll(() => readdirSync(daemon.home).filter((name) => name.startsWith('.')), { timeout: 20_000 })
    .toEqual([]);

async function restored(file: string, identity?: string): Promise<string> {
  const home = memoryFolder();
  const locations = locate({ env: { SVC_HOME: home }, platform: process.platform, home });
  if (identity !== undefined) writeFileSync(locations.identityFile, identity, { mode: 0o600 });
  await restoreHome({ file, locations, version, now: new Date() });
  return home;
}

it('a restore that was interrupted is finished before the daemon reads its settings', async () => {
  const home = memoryFolder();
  const { settingsFile } = locate({ env: { SVC_HOME: home }, platform: process.platform, home });
  const [from, kept] = [join(home, '.restore-1'), join(home, 'before-restore-1', 'settings.json')];
  writeFileSync(settingsFile, '{"pool":{"timeoutMs":1000}}');
  writeFileSync(from, '{"pool":{"timeoutMs":2000}}');
  const journal = {
    keep: [{ from: settingsFile, to: kept }],
    place: [{ from, to: settingsFile }],
    remove: [],
  };
  writeFileSync(join(home, 'restore.json'), JSON.stringify(journal));
  await using other = await startDaemon({ home });
  expect(other.app.config.get('pool.timeoutMs')).toBe(2000);
  expect(readFileSync(kept, 'utf8')).toContain('1000');
  expect(readdirSync(home)).not.toContain('restore.json');
});

describe('POST /api/backups', () => {
  // The archive of a cluster has no index of files, and goes to a database server: test/core/backup/restore-cluster.test.ts.
  it.skipIf(isPro)('brings tasks, memory, settings and signing secrets to another machine', async () => {
    await using receiver = await startLoopbackServer((response) => response.writeHead(204).end());
    const { client } = daemon;
    const { task } = await client.tasks.create({ body: { title: 'Kept', assignedAgent: 'test' } });
    await follow(client, task.id);
    const notes = realpathSync(temporaryFolder());
    writeFileSync(join(notes, 'printer.md'), '# Printer\n\nThe printer on the second floor is broken.\n');
    await client.memory.sync({ body: { basePath: notes } });
    await client.config.update({ params: { key: 'pool.timeoutMs' }, body: { value: 4000 } });
    await client.config.update({ params: { key: 'providers.openai.apiKey' }, body: { value: 'sk-kept' } });
    const created = await client.webhooks.create({ body: { url: receiver.url, events: ['task.failed'] } });

    const { file, manifest, bytes } = await backUp();
    expect(manifest.files.map(({ name }) => name)).toEqual(['svc.db', 'memory.db', 'settings.json']);
    expect(statSync(file)).toMatchObject({ size: bytes, mode: 0o100600 });
    const identity = join(daemon.home, 'identity');
    const home = await restored(file, readFileSync(identity, 'utf8'));

    await using other = await startDaemon({ home, extraAdapters, flags });
    expect((await other.client.tasks.get({ params: { id: task.id } })).task).toMatchObject({
      title: 'Kept',
      status: 'completed',
    });
    const { chunks } = await other.client.memory.search({ body: { query: 'broken printer' } });
    expect(chunks.map(({ path }) => path)).toEqual([join(notes, 'printer.md')]);
    expect(other.app.config.get('pool.timeoutMs')).toBe(4000);
    expect(other.app.config.secret('providers.openai.apiKey')).toBe('sk-kept');
    await other.client.webhooks.sendTest({ params: { id: created.webhook.id } });
    const [sent] = receiver.requests;
    const headers = Object.fromEntries(
      Object.entries(sent?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    expect(() => new Webhook(created.webhook.secret).verify(sent?.body ?? '', headers)).not.toThrow();
    expect((await other.client.audit.verify()).valid).toBe(true);
    rmSync(notes, { recursive: true });
  });

  it('holds one moment of the database while tasks are written', async () => {
    let isWriting = true;
    let written = 0;
    const write = async () => {
      while (isWriting) {
        await daemon.client.tasks.create({ body: { title: `Task ${written++}`, assignedAgent: 'test' } });
      }
    };
    const writers = [write(), write(), write()];
    const stored: StoredBackup[] = [];
    for (let n = 0; n < 4; n++) stored.push(await backUp());
    isWriting = false;
    await Promise.all(writers);
    expect(written).toBeGreaterThan(20);
    for (const { file } of stored) {
      const home = await restored(file);
      const database = new DatabaseSync(join(home, 'svc.db'), { readOnly: true });
      const count = (query: string) => Number(Object.values(database.prepare(query).get() ?? {})[0]);
      const tasks = count('select count(*) from tasks');
      expect(count('select sum(n) from task_counts')).toBe(tasks);
      expect(count("select count(*) from task_events where type = 'created'")).toBe(tasks);
      database.close();
      rmSync(home, { recursive: true });
    }
  });

  it('never holds the identity or what is only of this machine', async () => {
    const { manifest, hasIdentity } = await backUp();
    expect(hasIdentity).toBe(false);
    expect(manifest.files.filter(({ name }) => /identity|owner-session|daemon/.test(name))).toEqual([]);
  });

  it('is for administrators only, and leaves an audit entry', async () => {
    const ann = await addUser(daemon, 'ann');
    expect((await request(daemon, ann.headers)).status).toBe(403);
    expect((await request(daemon, {})).status).toBe(401);
    const [entry] = (await daemon.client.audit.list({ query: { tool: 'backup.created' } })).entries;
    expect(entry).toMatchObject({ userId: 'user_owner', result: 'ok' });
  });

  it('is cancelled when its client disconnects, and the next one is made', async () => {
    for (const ms of [0, 1, 5, 20, 40]) {
      const abort = new AbortController();
      const given = fetch(`${daemon.url}/api/backups`, {
        method: 'POST',
        headers: daemon.headers,
        signal: abort.signal,
      });
      setTimeout(() => abort.abort(), ms);
      await given.then(({ body }) => body?.cancel()).catch(() => undefined);
    }
    const again = async () => {
      const { status, body } = await request();
      await body?.cancel();
      return status;
    };
    await expect.poll(again, { timeout: 20_000 }).toBe(200);
    await untilNoneIsMade();
  });

  it('makes one backup at a time, and leaves no copies behind whether it is read or not', async () => {
    const [first, second] = await Promise.all([request(), request()]);
    expect([first.status, second.status].sort((a, b) => a - b)).toEqual([200, 503]);
    for (const response of [first, second]) await response.body?.cancel();
    await untilNoneIsMade();
    await backUp();
    await untilNoneIsMade();
  });
});
