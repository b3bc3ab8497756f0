import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '../../../src/core/storage/sqlite/open-sqlite.ts';
import { compileCache } from '../../helpers/compile-cache.ts';
import { type Content, contentOf, differenceOf } from './content.ts';
import { createOldDatabase } from './old-database.ts';

const script = fileURLToPath(new URL('child.ts', import.meta.url));
/** What SQLite does to files. */
const diskCalls = 'pwrite64,fsync,fdatasync,ftruncate,unlink,rename';

/** Where a migration is killed: at the nth point of the child, or at the nth call of one kind to the file system. */
export type Kill = { at: number; fault?: string } | { call: string; at: number };

/** A database of an earlier version, and what has to become of it. */
export interface Start {
  version: number;
  file: string;
  /** As it was before; undefined for an empty file. */
  before: Content | undefined;
  migrated: Content;
  /** The points of the child at which it can be killed, by what comes next. */
  points: string[];
}

/** Creates the database and migrates a copy of it without a kill. */
export async function prepareStart(directory: string, version: number): Promise<Start> {
  const file = join(mkdtempSync(join(directory, `version-${version}-`)), 'svc.db');
  await createOldDatabase(file, version);
  const before = version === 0 ? undefined : contentOf(file);
  const { own, copy } = copyOf(file, directory);
  const { code, output } = await run(process.execPath, [...nodeArguments, copy, '0']);
  if (code !== 0) throw new Error(`the migration from version ${version} failed: ${output}`);
  const migrated = contentOf(copy);
  rmSync(own, { recursive: true });
  return { version, file, before, migrated, points: JSON.parse(output) as string[] };
}

/** The calls to the file system of a migration without a kill, each kind with the most that one thread makes. */
export async function diskCallsOf(directory: string, start: Start): Promise<Map<string, number>> {
  const { own, copy } = copyOf(start.file, directory);
  const trace = join(own, 'trace');
  const filter = ['-f', '-qq', '-o', trace, '-e', `trace=${diskCalls}`];
  const { code, output } = await run('strace', [...filter, process.execPath, ...nodeArguments, copy, '0']);
  if (code !== 0) throw new Error(`the traced migration failed: ${output}`);
  const ofThreads = new Map<string, number>();
  for (const [, thread = '', call = ''] of readFileSync(trace, 'utf8').matchAll(/^(\d+) +(\w+)\(/gm))
    ofThreads.set(`${call} ${thread}`, (ofThreads.get(`${call} ${thread}`) ?? 0) + 1);
  rmSync(own, { recursive: true });
  const most = new Map<string, number>();
  for (const [key, count] of ofThreads) {
    const [call = ''] = key.split(' ');
    most.set(call, Math.max(count, most.get(call) ?? 0));
  }
  return most;
}

/** What a kill and the start after it left behind. */
export interface Outcome {
  wasKilled: boolean;
  /** What is wrong, in a sentence; undefined where nothing is. */
  violation: string | undefined;
}

/** Migrates a copy of the database, kills that, opens the copy again and compares. */
export async function killAndReopen(directory: string, start: Start, kill: Kill): Promise<Outcome> {
  const isDisk = 'call' in kill;
  const { own, copy: file } = copyOf(start.file, directory);
  const args = [
    ...nodeArguments,
    file,
    isDisk ? '0' : String(kill.at),
    ...(isDisk || !kill.fault ? [] : [kill.fault]),
  ];
  const { code, signal, output } = isDisk
    ? await run('strace', [...injection(kill), process.execPath, ...args])
    : await run(process.execPath, args);
  const wasKilled = signal === 'SIGKILL' || code === 137;
  if (!wasKilled && code !== 0) throw new Error(`the migration failed: ${output}`);
  const violation = copyViolation(own, start) ?? (await reopenViolation(own, file, start));
  rmSync(own, { recursive: true });
  return { wasKilled, violation };
}

const nodeArguments = ['--disable-warning=ExperimentalWarning', script];

const injection = ({ call, at }: { call: string; at: number }): string[] => [
  '-f',
  '-qq',
  '-o',
  '/dev/null',
  '-e',
  `trace=${call}`,
  '-e',
  `inject=${call}:signal=KILL:when=${at}`,
];

/** The copy has a directory of its own. */
function copyOf(file: string, directory: string): { own: string; copy: string } {
  const own = mkdtempSync(join(directory, 'copy-'));
  const copy = join(own, 'svc.db');
  copyFileSync(file, copy);
  return { own, copy };
}

const copiesIn = (directory: string) =>
  readdirSync(directory).filter((name) => name.startsWith('svc.db.before-'));

/** A copy that has its name must be whole: people restore it. */
function copyViolation(directory: string, { before }: Start): string | undefined {
  for (const name of copiesIn(directory)) {
    if (name.includes('.partial')) continue;
    if (existsSync(join(directory, `${name}-journal`))) return `${name} is not whole: it has a journal`;
    try {
      const difference = before && differenceOf(contentOf(join(directory, name)), before);
      if (difference !== undefined) return `${name} is not whole: ${difference}`;
    } catch (error) {
      return `${name} is not whole: ${String(error)}`;
    }
  }
  return undefined;
}

async function reopenViolation(directory: string, file: string, start: Start): Promise<string | undefined> {
  const bugs: unknown[] = [];
  try {
    const database = await openSqlite({
      file,
      synchronous: 'OFF',
      cacheMiB: 2,
      reportBug: (error) => bugs.push(error),
    });
    await database.close();
  } catch (error) {
    return `does not start: ${String(error)}`;
  }
  if (bugs.length > 0) return bugs.map(String).join('; ');
  const left = copiesIn(directory).filter((name) => name.includes('.partial'));
  if (left.length > 0) return `leaves ${left.join(', ')}`;
  return differenceOf(contentOf(file), start.migrated);
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
}

async function run(command: string, args: string[]): Promise<Ended> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...compileCache },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, output };
}
