import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { freePort } from '../../bench/free-port.ts';
import { memoryFolder } from './memory-folder.ts';
import { type PostgresPlace, PostgresProcess } from './postgres-process.ts';
import { migratePostgres } from '../../src/core/storage/postgres/migrate-postgres.ts';

/** A server that can fail, and that others can follow. */
export interface PostgresNode {
  port: number;
  /** Ends it without a checkpoint and with no word to its clients; the next `start` recovers. */
  crash(): Promise<void>;
  /** Starts it on the same port, after a crash. */
  start(): Promise<void>;
  /** Stops it and removes its files; the end of this process does the same, however it comes. */
  stop(): Promise<void>;
  /** A server that follows this one, with durable commits; which of them wait for it is for this one to say. */
  standby(): Promise<PostgresStandby>;
}

export interface PostgresStandby extends PostgresNode {
  /** Resolves when it has what its server had at the time of the call. */
  caughtUp(): Promise<void>;
  /** Makes it take writes. */
  promote(): Promise<void>;
}

export interface PostgresServer extends PostgresNode {
  /** Its maintenance database, which svc never uses. */
  url: string;
  /** A database with the schema of this version, or with nothing. */
  newDatabase(schema?: 'current' | 'none'): Promise<TestDatabase>;
}

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

export interface PostgresOptions {
  /** Whether commits wait for the disk, as by default: what is only tested needs not survive the machine. */
  isDurable?: boolean;
  /** Whether it is measured beside svc: then it is durable, and sorts by bytes, which is fastest. */
  isMeasured?: boolean;
}

const programs = folderOfPrograms();
/** Whether a PostgreSQL is installed here; in CI a missing one is a failure. */
export const hasPostgres: boolean = programs !== undefined;
if (!hasPostgres && process.env['CI']) throw new Error('These tests need PostgreSQL, and CI skips nothing');

let shared: Promise<PostgresServer> | undefined;

/** A database with the schema of this version, or with nothing, on a server that all tests of this process share. */
export const newPostgresDatabase: PostgresServer['newDatabase'] = async (schema) =>
  (await (shared ??= startPostgres())).newDatabase(schema);

/** A PostgreSQL of the machine's packages, in a folder of its own and on a free port. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  if (programs === undefined) throw new Error('PostgreSQL is not installed');
  const { isMeasured = false, isDurable = isMeasured } = options;
  const folder = isDurable ? mkdtempSync(join(tmpdir(), 'svc-postgres-')) : memoryFolder();
  const user = unprivileged();
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  initialize(join(programs, 'initdb'), data, { cwd: folder, stdio: 'ignore', ...user }, isMeasured);
  const port = await freePort();
  const settings = isDurable ? SETTINGS : [...SETTINGS, 'fsync=off', 'full_page_writes=off'];
  const server = new PostgresProcess({ programs, folder, port, user }, settings);
  await server.start();
  const url = (database: string) => `postgres://svc@127.0.0.1:${port}/${database}`;
  let template: Promise<unknown> | undefined;
  let count = 0;
  return {
    url: url('postgres'),
    port,
    start: () => server.start(),
    async newDatabase(schema = 'current') {
      if (schema === 'current') await (template ??= makeTemplate(url));
      const name = `svc_${++count}`;
      const source = schema === 'current' ? TEMPLATE : 'template0';
      await queryOnce(url('postgres'), `create database ${name} template ${source} strategy file_copy`);
      return {
        url: url(name),
        drop: () => queryOnce(url('postgres'), `drop database if exists ${name} with (force)`),
      };
    },
    crash: () => server.crash(),
    stop: () => server.stop(),
    standby: () => startStandby({ programs, user, port }),
  };
}

const SETTINGS = ['listen_addresses=127.0.0.1', 'max_connections=200', 'lc_messages=C'];

/** Copies the server on `port` while it works, and follows it. */
async function startStandby({
  programs,
  user,
  port: primary,
}: Pick<PostgresPlace, 'programs' | 'user' | 'port'>): Promise<PostgresStandby> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  if (user) chownSync(folder, user.uid, user.gid);
  const port = await freePort();
  await execa(
    join(programs, 'pg_basebackup'),
    ['-h', '127.0.0.1', '-p', String(primary), '-U', 'svc', '-D', join(folder, 'data'), '-R', '-c', 'fast'],
    { cwd: folder, ...user },
  );
  const server = new PostgresProcess({ programs, folder, port, user }, SETTINGS);
  await server.start();
  const maintenance = `postgres://svc@127.0.0.1:${port}/postgres`;
  return {
    port,
    async caughtUp() {
      const { at } = await ask(primary, 'select pg_current_wal_lsn() as at');
      while (true) {
        const { is } = await ask(port, `select pg_last_wal_replay_lsn() >= '${String(at)}' as is`);
        if (is === true) return;
      }
    },
    promote: () => queryOnce(maintenance, 'select pg_promote()'),
    crash: () => server.crash(),
    start: () => server.start(),
    stop: () => server.stop(),
    standby: () => startStandby({ programs, user, port }),
  };
}

const TEMPLATE = 'svc_template';

async function makeTemplate(url: (database: string) => string): Promise<void> {
  await queryOnce(url('postgres'), `create database ${TEMPLATE}`);
  const client = new pg.Client(url(TEMPLATE));
  await client.connect();
  await migratePostgres(client);
  await client.end();
}

/** Runs one statement on a connection of its own. */
export async function queryOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function ask(port: number, statement: string): Promise<Record<string, unknown>> {
  const client = new pg.Client(`postgres://svc@127.0.0.1:${port}/postgres`);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(statement);
  await client.end();
  return rows[0] ?? {};
}

type Placed = { cwd: string; stdio: 'ignore'; uid?: number; gid?: number };

/** Sorts by a language where it can, as no order of svc may. */
function initialize(initdb: string, data: string, placed: Placed, sortsByBytes: boolean): void {
  const flags = ['-D', data, '-U', 'svc', '--auth=trust', '--encoding=UTF8', '--no-sync'];
  const language = ['--locale=C', '--locale-provider=icu', '--icu-locale=en'];
  if (!sortsByBytes && spawnSync(initdb, [...flags, ...language], placed).status === 0) return;
  execFileSync(initdb, [...flags, '--locale=C.UTF-8'], placed);
}

function folderOfPrograms(): string | undefined {
  const { stdout } = spawnSync(
    'sh',
    ['-c', 'command -v postgres || ls /usr/lib/postgresql/*/bin/postgres | tail -1'],
    { encoding: 'utf8' },
  );
  return stdout.trim() === '' ? undefined : dirname(realpathSync(stdout.trim()));
}

/** PostgreSQL refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());
  return { uid: idOf('-u'), gid: idOf('-g') };
}
