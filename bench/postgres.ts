import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from './free-port.ts';

/** A PostgreSQL of the machine in a folder of its own, with its default durability; `url` names its database. */
export async function startPostgres() {
  const programs = folderOfPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  const user = unprivileged();
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { cwd: folder, stdio: 'ignore', ...user } as const;
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'svc', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'],
    options,
  );
  const port = await freePort();
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', folder],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await ready(server);
  return {
    url: `postgres://svc@127.0.0.1:${port}/postgres`,
    stop: async () => {
      const gone = once(server, 'exit');
      server.kill('SIGINT');
      await gone;
      rmSync(folder, { recursive: true });
    },
  };
}

function folderOfPrograms(): string {
  try {
    return dirname(
      realpathSync(
        execFileSync('sh', ['-c', 'command -v postgres || ls /usr/lib/postgresql/*/bin/postgres | tail -1'], {
          encoding: 'utf8',
        }).trim(),
      ),
    );
  } catch (cause) {
    throw new Error('PostgreSQL is not installed, and it is what this is measured beside', { cause });
  }
}

/** PostgreSQL refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function ready({ stderr }: ChildProcess): Promise<void> {
  let said = '';
  while (!said.includes('ready to accept connections')) {
    if (!stderr) throw new Error('The standard error of PostgreSQL is not read');
    const [chunk] = (await once(stderr, 'data')) as [Buffer];
    said += chunk.toString();
  }
  // What is not read would fill the pipe and stop the server.
  stderr?.resume();
}
