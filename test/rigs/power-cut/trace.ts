import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What a process did to its files, and what it told its client, in their order. */
export type DiskOperation =
  | { kind: 'write'; path: string; offset: number; bytes: Buffer }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'sync'; path: string }
  | { kind: 'remove'; path: string }
  | { kind: 'acknowledge'; line: string };

const calls = 'pwrite64,write,fsync,fdatasync,ftruncate,unlink,unlinkat';

/** Runs the workload in `home` under strace and returns the file of the trace. SQLite works in the main thread, which alone is traced. */
export async function record(home: string, ...args: string[]): Promise<string> {
  const file = join(home, 'trace');
  const workload = fileURLToPath(new URL('workload.ts', import.meta.url));
  const options = ['-qq', '-y', '-xx', '-s', '10000000', '-e', `trace=${calls}`, '-o', file];
  const child = spawn('strace', [...options, process.execPath, workload, join(home, 'data'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: home },
  });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the workload failed: ${complaints}`);
  return file;
}

/** The operations of a trace; a call that failed did nothing. */
export async function* operationsOf(traceFile: string): AsyncGenerator<DiskOperation> {
  for await (const line of createInterface({ input: createReadStream(traceFile), crlfDelay: Infinity })) {
    const operation = parseLine(line);
    if (operation) yield operation;
  }
}

const text = (hex: string) => bytesOf(hex).toString('utf8');
const bytesOf = (hex: string) => Buffer.from(hex.replaceAll('\\x', ''), 'hex');

function parseLine(line: string): DiskOperation | undefined {
  const call = /^(\w+)\(/.exec(line)?.[1];
  const result = Number(line.slice(line.lastIndexOf(' = ') + 3).split(' ')[0]);
  if (call === undefined || result < 0) return undefined;
  const path = text(/^\w+\(\d+<([^>]*)>/.exec(line)?.[1] ?? '');
  const [from, to] = [line.indexOf('"') + 1, line.lastIndexOf('"')];
  const quoted = () => bytesOf(line.slice(from, to));
  if (call === 'pwrite64') {
    const offset = Number(/, (\d+)\) = \d+$/.exec(line.slice(to))?.[1]);
    return { kind: 'write', path, offset, bytes: quoted().subarray(0, result) };
  }
  if (call === 'write')
    return line.startsWith('write(1<')
      ? { kind: 'acknowledge', line: quoted().toString().trim() }
      : undefined;
  if (call === 'ftruncate') return { kind: 'truncate', path, size: Number(/, (\d+)\) = 0$/.exec(line)?.[1]) };
  if (call === 'unlink' || call === 'unlinkat') return { kind: 'remove', path: quoted().toString() };
  return { kind: 'sync', path };
}
