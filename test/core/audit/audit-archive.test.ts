import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';

const DAY_MS = 86_400_000;

/** A daemon whose clock the test sets, and how to let something be audited in it. */
async function startWorld() {
  let offset = 0;
  const runtime = { ...systemRuntime, now: () => new Date(Date.now() + offset) };
  const daemon = await startDaemon({ runtime });
  const make = async (count: number) => {
    for (let n = 0; n < count; n++)
      await daemon.client.tokens.create({ body: { name: `token ${n}`, scopes: ['tasks:read'] } });
  };
  return {
    daemon,
    make,
    later: (days: number) => (offset += days * DAY_MS),
    archive: async () => (await daemon.client.data.archive({ body: {} })).archive,
    verify: () => daemon.client.audit.verify(),
    seqs: async () => (await daemon.client.audit.list()).entries.map(({ seq }) => seq).reverse(),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

const linesOf = (file: string) => gunzipSync(readFileSync(file)).toString().trim().split('\n');
const rewrite = (file: string, lines: string[]) => writeFileSync(file, gzipSync(`${lines.join('\n')}\n`));

describe('an archive of the audit log', () => {
  it('takes the old entries out of the database, and the chain verifies across it', async () => {
    await using world = await startWorld();
    await world.make(5);
    world.later(100);
    await world.make(2);
    const { lastHash } = await world.verify();
    const archive = await world.archive();
    expect(archive).toMatchObject({ entries: 5, firstSeq: 1, lastSeq: 5 });
    expect(linesOf(archive?.file ?? '')).toHaveLength(5);
    // Two that stay, and the one that states the archive.
    expect(await world.seqs()).toEqual([6, 7, 8]);
    const after = await world.verify();
    expect(after).toMatchObject({ valid: true, entries: 8 });
    expect(after.lastHash).not.toBe(lastHash);
    const [newest] = (await world.daemon.client.audit.list({ query: { limit: 1 } })).entries;
    expect(newest).toMatchObject({
      tool: 'audit.archived',
      arguments: { lastSeq: 5, lastHash: archive?.lastHash, sha256: archive?.sha256 },
    });
  });

  it('follows an earlier one, and there is none where nothing is old', async () => {
    await using world = await startWorld();
    await world.make(3);
    expect(await world.archive()).toBeUndefined();
    world.later(100);
    await world.archive();
    world.later(100);
    await world.make(1);
    expect(await world.archive()).toMatchObject({ firstSeq: 4, lastSeq: 4 });
    expect(await world.verify()).toMatchObject({ valid: true, entries: 6 });
    expect((await world.daemon.client.data.getUsage()).archives).toHaveLength(2);
  });

  it.each([
    [
      'changed',
      (lines: string[]) => lines.map((line, at) => (at === 2 ? line.replace('"ok"', '"no"') : line)),
      3,
    ],
    ['short of an entry', (lines: string[]) => lines.filter((_, at) => at !== 1), 3],
    ['short of its end', (lines: string[]) => lines.slice(0, -1), 5],
    ['no text any more', () => ['nonsense'], 1],
  ])('is found %s', async (_, damage, brokenAt) => {
    await using world = await startWorld();
    await world.make(5);
    world.later(100);
    const archive = await world.archive();
    const file = archive?.file ?? '';
    rewrite(file, damage(linesOf(file)));
    expect(await world.verify()).toMatchObject({ valid: false, brokenAt });
  });

  it('that was moved elsewhere is named, and the log is verified from its end on', async () => {
    await using world = await startWorld();
    await world.make(5);
    world.later(100);
    const file = (await world.archive())?.file ?? '';
    renameSync(file, `${file}.moved`);
    expect(await world.verify()).toMatchObject({ valid: true, entries: 1, missingArchives: [file] });
    await world.daemon.app.database.write(({ db }) =>
      db
        .updateTable('audit_archives')
        .set({ last_hash: 'f'.repeat(64) })
        .execute(),
    );
    expect(await world.verify()).toMatchObject({ valid: false });
  });

  it('is not made of a log that does not verify', async () => {
    await using world = await startWorld();
    await world.make(5);
    world.later(100);
    await world.daemon.app.database.write(({ db }) =>
      db.updateTable('audit_log').set({ result: 'no' }).where('seq', '=', 3).execute(),
    );
    await expect(world.archive()).rejects.toMatchObject({ status: 400, message: /Nothing was archived/ });
    expect(await world.seqs()).toEqual([1, 2, 3, 4, 5]);
  });

  it('is not finished by half: entries that it holds are removed later, and counted once', async () => {
    await using world = await startWorld();
    await world.make(5);
    const rows = await world.daemon.app.database.read.selectFrom('audit_log').selectAll().execute();
    world.later(100);
    await world.archive();
    // As where the daemon ended between the archive and the removal.
    await world.daemon.app.database.write(({ db }) =>
      db.insertInto('audit_log').values(rows.slice(2)).execute(),
    );
    expect(await world.verify()).toMatchObject({ valid: true, entries: 6 });
    await world.daemon.app.auditArchive.removeArchived();
    expect(await world.seqs()).toEqual([6]);
  });

  it('audit entries are archived automatically only if retention.auditDays is set', async () => {
    await using world = await startWorld();
    await world.make(5);
    world.later(400);
    await tidy(world.daemon);
    expect(await world.seqs()).toHaveLength(5);
    await world.daemon.client.config.update({ params: { key: 'retention.auditDays' }, body: { value: 365 } });
    await tidy(world.daemon);
    expect(existsSync(join(world.daemon.home, 'archive'))).toBe(true);
    expect((await world.seqs())[0]).toBe(6);
    expect(await world.verify()).toMatchObject({ valid: true });
  });
});

/** The clean-up, whatever the monotonic clock says. */
const tidy = ({ app }: TestDaemon) => app.retention.removeOld();
