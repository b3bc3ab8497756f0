import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** From the nth call on, calls of this kind to the files of the database fail. */
export interface DiskFault {
  call: 'pwrite64' | 'fsync' | 'pread64';
  error: 'EIO' | 'ENOSPC';
  at: number;
  /** How many calls fail; undefined for all until the end of the fault. */
  calls?: number;
}

export interface InjectedFault {
  /** How many calls have failed. */
  failures(): number;
  /** The disk works again. */
  end(): Promise<void>;
}

/**
 * Lets calls of a process to the files of its database fail, below SQLite. The main thread alone is traced, in which SQLite
 * works.
 */
export async function injectFault(
  pid: number,
  home: string,
  { call, error, at, calls }: DiskFault,
): Promise<InjectedFault> {
  const trace = join(home, 'trace');
  const files = ['svc.db', 'svc.db-wal'].flatMap((name) => ['-P', join(home, 'data', name)]);
  const which = calls === undefined ? `${at}+` : `${at}..${at + calls - 1}`;
  const injection = ['-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${which}`];
  const strace = spawn('strace', ['-p', String(pid), '-o', trace, '-s', '0', ...files, ...injection], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(strace, 'close');
  let output = '';
  await new Promise<void>((resolve, reject) => {
    strace.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('attached')) resolve();
    });
    void ended.then(() => reject(new Error(`strace did not attach: ${output}`)));
  });
  return {
    failures: () => readFileSync(trace, 'utf8').match(/\(INJECTED\)/g)?.length ?? 0,
    async end() {
      strace.kill('SIGINT');
      await ended;
    },
  };
}
