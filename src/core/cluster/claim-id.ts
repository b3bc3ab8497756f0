import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';
import { AppError } from '../errors.ts';
import { codeOf } from '../paths/file-errors.ts';
import { readBootId } from '../processes/boot-id.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { SILENT_SECONDS } from '../storage/postgres/live-daemons.ts';
import { writePrivateFile } from '../storage/private-file.ts';

const FILE = 'daemon-start';
/** A daemon that runs renews its row every five seconds; a slow one has some more. */
const PROOF_MS = 12_000;
const LOOK_EVERY_MS = 500;

/** Where and when a daemon began with this directory. */
const startSchema = z.object({
  /** Of a machine since it was switched on, and of the directory in its file system: a copy has others. */
  place: z.string(),
  /** What its row said, or was about to say. */
  startedAt: z.array(z.string()),
});

export interface ClaimIdDeps {
  database: Database;
  /** The data directory, which no other process uses. */
  directory: string;
  id: string;
  startedAt: string;
  runtime: Pick<Runtime, 'now'>;
  /** Resolves after so many milliseconds. */
  wait?: (ms: number) => Promise<unknown>;
}

/**
 * Throws `configuration` where a daemon runs under this id with another directory, because one of them is a copy: each would end
 * what the other runs. A row that the last process of this directory has left means nothing, and costs no time; for another
 * one that was renewed a moment ago it waits until it is renewed again, or for 12 seconds.
 */
export async function claimId(deps: ClaimIdDeps): Promise<void> {
  const { directory, startedAt } = deps;
  const file = join(directory, FILE);
  const place = await placeOf(directory);
  const row = await readRow(deps);
  const last = readStart(file);
  const isOwn = row !== undefined && last?.place === place && last.startedAt.includes(row.startedAt);
  if (row && !isOwn && (await isRenewed(deps, row)))
    throw new AppError(
      'configuration',
      `The daemon ${row.name} on the host ${row.host} runs with the same ID, so ${directory} is a copy of its data directory. To give this daemon an ID of its own: rm ${join(directory, 'daemon-id')}`,
    );
  // Where this process ends before its row is there, that of the one before is still known.
  const known = isOwn ? [row.startedAt, startedAt] : [startedAt];
  writePrivateFile(
    file,
    `${JSON.stringify({ place, startedAt: known } satisfies z.input<typeof startSchema>)}\n`,
  );
}

interface Row {
  name: string;
  host: string;
  startedAt: string;
  seenAt: string;
}

async function readRow({ database, id }: ClaimIdDeps): Promise<Row | undefined> {
  const row = await database.read
    .selectFrom('daemons')
    .select(['name', 'host', 'started_at', 'seen_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  return { name: row.name ?? row.host, host: row.host, startedAt: row.started_at, seenAt: row.seen_at };
}

async function isRenewed(deps: ClaimIdDeps, { seenAt }: Row): Promise<boolean> {
  const age = deps.runtime.now().getTime() - Date.parse(seenAt);
  if (age >= SILENT_SECONDS * 1000) return false;
  for (let waited = 0; waited < PROOF_MS; waited += LOOK_EVERY_MS) {
    await (deps.wait ?? delay)(LOOK_EVERY_MS);
    const row = await readRow(deps);
    // It has left the cluster.
    if (!row) return false;
    if (row.seenAt !== seenAt) return true;
  }
  return false;
}

async function placeOf(directory: string): Promise<string> {
  const { dev, ino } = statSync(directory);
  return `${(await readBootId()) ?? ''}/${dev}/${ino}`;
}

function readStart(file: string): z.output<typeof startSchema> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return safeParse(startSchema, JSON.parse(text)).data;
  } catch {
    // Cut off by a power cut: then nothing is known of it.
    return undefined;
  }
}
