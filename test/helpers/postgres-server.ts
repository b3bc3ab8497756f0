import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, realpathSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../bench/free-port.ts';
import { memoryFolder } from './memory-folder.ts';
import { migratePostgres } from '../../src/core/storage/postgres/migrate-postgres.ts';

export interface PostgresServer {
  /** Its maintenance database, which svc never uses. */
  url: string;
  /** A database with the schema of this version, or with nothing. */
  newDatabase(schema?: 'current' | 'none'): Promise<TestDatabase>;
  /** Ends it without a checkpoint and with no word to its clients; the next `start` recovers. */
  crash(): Promise<void>;
  /** Starts it on the same port, after a crash. */
  start(): Promise<void>;
  /** Stops it and removes its files; the end of this process does the same, however it comes. */
  stop(): Promise<void>;
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
  const settings = ['listen_addresses=127.0.0.1', 'max_connections=200', 'lc_messages=C'];
  if (!isDurable) settings.push('fsync=off', 'full_page_writes=off');
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const wrapper = spawn(
    '/bin/sh',
    ['-c', WATCH, folder, join(programs, 'postgres'), '-D', data, '-p', String(port), '-k', folder, ...flags],
    // A session of its own: a Ctrl+C is not for the wrapper, which has to clean up after it.
    { cwd: folder, detached: true, ...user },
  );
  const pipes = [wrapper, wrapper.stdin, wrapper.stdout, wrapper.stderr] as unknown as Socket[];
  const gone = once(wrapper, 'exit');
  /** Waits for a word of the server or the wrapper, and keeps this process alive only as long. */
  const says = async (word: string) => {
    for (const pipe of pipes) pipe.ref();
    let said = '';
    await new Promise<void>((resolve, reject) => {
      const listen = (chunk: Buffer) => {
        said += chunk.toString();
        if (!said.includes(word)) return;
        wrapper.stderr.off('data', listen);
        resolve();
      };
      // What is not read would fill the pipe and stop the server: it flows on without a listener.
      wrapper.stderr.on('data', listen).resume();
      wrapper.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)));
    });
    for (const pipe of pipes) pipe.unref();
  };
  const start = async () => {
    wrapper.stdin.write('start\n');
    await says('ready to accept connections');
  };
  await start();
  const url = (database: string) => `postgres://svc@127.0.0.1:${port}/${database}`;
  let template: Promise<unknown> | undefined;
  let count = 0;
  return {
    url: url('postgres'),
    start,
    async newDatabase(schema = 'current') {
      if (schema === 'current') await (template ??= makeTemplate(url));
      const name = `svc_${++count}`;
      const source = schema === 'current' ? TEMPLATE : 'template0';
      await run(url('postgres'), `create database ${name} template ${source} strategy file_copy`);
      return {
        url: url(name),
        drop: () => run(url('postgres'), `drop database if exists ${name} with (force)`),
      };
    },
    async crash() {
      wrapper.stdin.write('crash\n');
      await says('crashed');
    },
    async stop() {
      wrapper.ref();
      wrapper.stdin.end();
      await gone;
    },
  };
}

const TEMPLATE = 'svc_template';

/** Obeys this process; when its pipe closes, whatever the reason, the server ends and its folder goes. */
const WATCH = `
while read -r order; do
  case $order in
    start) "$@" </dev/null & server=$! ;;
    crash) kill -QUIT "$server"; wait "$server"; echo crashed >&2 ;;
  esac
done
kill -QUIT "$server" && wait "$server"
cd / && rm -rf "$0"
`;

async function makeTemplate(url: (database: string) => string): Promise<void> {
  await run(url('postgres'), `create database ${TEMPLATE}`);
  const client = new pg.Client(url(TEMPLATE));
  await client.connect();
  await migratePostgres(client);
  await client.end();
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
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
