import { describe, expect, it } from 'vitest';
import type { UnpublishedFile } from '../../../../src/core/memory/index/index-calls.ts';
import { SharedFiles } from '../../../../src/core/memory/shared/shared-files.ts';
import { canRace, openRace, overlap } from '../../../helpers/race.ts';
import type { TestStorage } from '../../../helpers/storage.ts';

const ROOT = '/docs';
const DAY_MS = 86_400_000;
let now = Date.parse('2026-05-01T00:00:00.000Z');
const runtime = { now: () => new Date(now) };
const filesOf = ({ database }: Pick<TestStorage, 'database'>) => new SharedFiles({ database, runtime });

const change = (name: string, text: string | undefined, rev?: number): UnpublishedFile => ({
  path: `${ROOT}/${name}`,
  version: 1,
  isByUser: text === undefined,
  ...(rev !== undefined && { shared: { root: ROOT, rev } }),
  file:
    text === undefined
      ? undefined
      : {
          relativePath: `/${name}`,
          hash: text,
          size: text.length,
          stamp: text,
          updatedAt: runtime.now().toISOString(),
          chunks: [{ id: 1, startLine: 1, endLine: 1, heading: '', text }],
        },
});

const stored = async (storage: TestStorage) =>
  (await filesOf(storage).after(ROOT, 0)).files.map(({ path, file }) => [path, file?.chunks[0]?.text]);

describe.skipIf(!canRace)('shared files', () => {
  it('number the changes of two writers in the order of their commits, without gaps', async () => {
    await using race = await openRace();
    const [a, b] = [filesOf(race.one), filesOf(race.other)];
    await a.keep(ROOT, 'host', 'daemon_a');
    const start = (await a.roots()).get(ROOT)?.rev ?? 0;
    const [one, other] = await overlap(
      race,
      (storage) => filesOf(storage).publish(ROOT, 'daemon_a', [change('a.md', 'one'), change('b.md', 'one')]),
      () => b.publish(ROOT, 'daemon_a', [change('a.md', 'two')]),
    );
    expect(one).toMatchObject({ value: { before: start, rev: start + 2 } });
    expect(other).toMatchObject({ value: { before: start + 2, rev: start + 3 } });
    expect(await stored(race.one)).toEqual([
      ['/docs/b.md', 'one'],
      ['/docs/a.md', 'two'],
    ]);
  });

  it('take nothing from a daemon that has lost the folder meanwhile', async () => {
    await using race = await openRace();
    await filesOf(race.one).keep(ROOT, 'host', 'daemon_a');
    const [, late] = await overlap(
      race,
      (storage) => filesOf(storage).keep(ROOT, 'host', 'daemon_b'),
      (storage) => filesOf(storage).publish(ROOT, 'daemon_a', [change('a.md', 'late')]),
    );
    expect(late).toEqual({ status: 'fulfilled', value: undefined });
    expect(await stored(race.one)).toEqual([]);
  });

  it('keep a change against a removal that knew an older one', async () => {
    await using race = await openRace();
    const files = filesOf(race.one);
    await files.keep(ROOT, 'host', 'daemon_a');
    const first = await files.publish(ROOT, 'daemon_a', [change('a.md', 'old')]);
    const [, removal] = await overlap(
      race,
      (storage) => filesOf(storage).publish(ROOT, 'daemon_a', [change('a.md', 'new')]),
      (storage) => filesOf(storage).publishRemovals(ROOT, [change('a.md', undefined, first?.rev)]),
    );
    expect(removal).toMatchObject({ value: { files: [{ path: '/docs/a.md', version: 1 }] } });
    expect(removal).not.toMatchObject({ value: { files: [{ rev: expect.any(Number) }] } });
    expect(await stored(race.one)).toEqual([['/docs/a.md', 'new']]);
    const last = (await files.after(ROOT, 0)).files[0]?.rev;
    await files.publishRemovals(ROOT, [change('a.md', undefined, last)]);
    expect(await stored(race.one)).toEqual([['/docs/a.md', undefined]]);
  });

  it('are found by number, page by page', async () => {
    await using race = await openRace();
    const files = filesOf(race.one);
    await files.keep(ROOT, 'host', 'daemon_a');
    const names = Array.from({ length: 150 }, (_, at) => `${at}.md`);
    await files.publish(
      ROOT,
      'daemon_a',
      names.map((name) => change(name, name)),
    );
    const first = await files.after(ROOT, 0);
    const second = await files.after(ROOT, first.files.at(-1)?.rev ?? 0);
    expect([first.isLast, second.isLast]).toEqual([false, true]);
    expect([...first.files, ...second.files].map(({ path }) => path)).toEqual(
      names.map((name) => `${ROOT}/${name}`),
    );
  });

  it('forget removals after a week, and say up to which number', async () => {
    await using race = await openRace();
    const files = filesOf(race.one);
    await files.keep(ROOT, 'host', 'daemon_a');
    const published = await files.publish(ROOT, 'daemon_a', [
      change('a.md', undefined),
      change('b.md', 'stays'),
    ]);
    const before = now;
    now += 6 * DAY_MS;
    await files.tidy();
    expect(await stored(race.one)).toHaveLength(2);
    now += 2 * DAY_MS;
    await files.tidy();
    expect(await stored(race.one)).toEqual([['/docs/b.md', 'stays']]);
    expect((await files.roots()).get(ROOT)?.floor).toBe((published?.before ?? 0) + 1);
    now = before;
  });

  it('begin above everything that was read when a forgotten folder comes again', async () => {
    await using race = await openRace();
    const files = filesOf(race.one);
    await files.keep(ROOT, 'host', 'daemon_a');
    const published = await files.publish(ROOT, 'daemon_a', [change('a.md', 'one')]);
    await files.drop(ROOT, 'daemon_b');
    expect((await files.roots()).size).toBe(1);
    await files.drop(ROOT, 'daemon_a');
    expect([...(await files.roots())]).toEqual([]);
    expect(await stored(race.one)).toEqual([]);
    now += 1000;
    await files.keep(ROOT, 'host', 'daemon_b');
    expect((await files.roots()).get(ROOT)?.floor).toBeGreaterThan(published?.rev ?? Infinity);
  });
});
