import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/core/storage/sqlite/open-sqlite.ts';
import { temporaryFolder } from '../helpers/daemon.ts';
import { sized } from '../helpers/long.ts';
import { canTrace } from '../helpers/strace.ts';
import { Random } from './crash/random.ts';
import { Disk } from './power-cut/disk.ts';
import { operationsOf, record } from './power-cut/trace.ts';

const STATES = sized(12, 1000);
const TASKS = sized(15, 150);
const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Finding {
  states: number;
  violations: string[];
}

/** What a client was told that the database does not hold, and what is broken in it. */
async function violationsIn(folder: string, acknowledged: readonly string[]): Promise<string[]> {
  const file = join(folder, 'svc.db');
  const bugs: unknown[] = [];
  const database = await openSqlite({
    file,
    synchronous: 'OFF',
    cacheMiB: 4,
    reportBug: (error) => bugs.push(error),
  });
  await database.close();
  const reader = new DatabaseSync(file, { readOnly: true });
  try {
    const column = (query: string) =>
      reader
        .prepare(query)
        .all()
        .map((row) => String(Object.values(row)[0]));
    const held = new Set([
      ...column("select 'created ' || id from tasks"),
      ...column("select status || ' ' || id from tasks where status in ('completed', 'failed')"),
    ]);
    const lost = acknowledged.filter((line) => !held.has(line));
    const unequal = column(`
      select id from tasks where
        (select count(*) from task_events where task_seq = tasks.seq and type = 'created') <> 1 or
        (select count(*) from task_events where task_seq = tasks.seq and type in ('completed', 'failed')) <> (status in ('completed', 'failed'))`);
    const broken = column('pragma integrity_check').filter((answer) => answer !== 'ok');
    return [
      ...lost.map((line) => `lost: ${line}`),
      ...unequal.map((id) => `events do not fit: ${id}`),
      ...broken,
      ...bugs.map(String),
    ];
  } finally {
    reader.close();
  }
}

/** Cuts the power at `states` random moments of the recorded work and opens what a disk may hold then. */
async function cutPower(trace: string, states: number, seed: number): Promise<Finding> {
  const random = new Random(seed);
  let count = 0;
  for await (const _ of operationsOf(trace)) count++;
  const moments = Array.from({ length: states }, () => random.between(0, count)).sort((a, b) => a - b);
  const disk = new Disk();
  const acknowledged: string[] = [];
  const finding: Finding = { states: 0, violations: [] };
  let at = 0;
  const folder = join(home, 'state');
  for await (const operation of operationsOf(trace)) {
    while (moments[0] === at) {
      moments.shift();
      finding.states++;
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      for (const [path, bytes] of disk.cut(random))
        if (/^svc\.db(-wal)?$/.test(basename(path))) writeFileSync(join(folder, basename(path)), bytes);
      const violations = await violationsIn(folder, acknowledged).catch((error: unknown) => [String(error)]);
      finding.violations.push(...violations.map((violation) => `before operation ${at}: ${violation}`));
    }
    disk.apply(operation);
    if (operation.kind === 'acknowledge') acknowledged.push(...operation.line.split('\n'));
    at++;
  }
  return finding;
}

describe.skipIf(!canTrace)('a power cut (needs strace)', () => {
  it(
    `loses nothing that was acknowledged, in ${STATES} states of the disk`,
    { timeout: 1_800_000 },
    async () => {
      const trace = await record(join(home), String(TASKS), 'FULL');
      const { states, violations } = await cutPower(trace, STATES, 20_261);
      expect(violations.slice(0, 20).join('\n')).toBe('');
      expect(states).toBeGreaterThan(STATES * 0.9);
    },
  );

  it('loses work where commits are not synced, which the rig notices', { timeout: 1_800_000 }, async () => {
    rmSync(join(home, 'data'), { recursive: true, force: true });
    const trace = await record(join(home), '40', 'NORMAL');
    const { violations } = await cutPower(trace, 60, 20_262);
    expect(violations.some((violation) => violation.includes('lost: created'))).toBe(true);
  });
});
