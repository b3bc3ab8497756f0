import { closeSync, openSync, readSync, statSync, watchFile, unwatchFile } from 'node:fs';
import { once } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Output } from '../../output/output.ts';
import { formatLogLine, parseLogLine } from './log-line.ts';

const TAIL_BYTES = 4 * 1024 * 1024;
const LOOK_EVERY_MS = 200;

/** `svc daemon logs`: the last lines, and with `follow` every new one until Ctrl-C. */
export async function showLogs(
  cli: Cli,
  { follow = false, lines, json = false }: { follow?: boolean; lines: number; json?: boolean },
): Promise<void> {
  const { locations, output } = cli;
  const path = locations.logFile;
  const size = () => statSync(path, { throwIfNoEntry: false })?.size;
  let end = size();
  if (end === undefined)
    throw new CliError(exitCodes.notFound, `There is no log yet (${path}).`, {
      next: 'Start the daemon: svc daemon start',
    });
  const isPretty = output.isTerminal && !json;
  const print = (all: string[]) => {
    for (const line of all)
      if (isPretty) output.write(`${formatLogLine(line, output.paint)}\n`);
      else if (output.selection) printFields(output, line);
      else output.text(`${line}\n`);
  };
  const tail = readPart(path, Math.max(0, end - TAIL_BYTES), end).split('\n');
  if (tail.at(-1) === '') tail.pop();
  print(tail.slice(-lines));
  if (!follow) return;

  const decoder = new StringDecoder('utf8');
  let incomplete = '';
  watchFile(path, { interval: LOOK_EVERY_MS }, () => {
    const now = size() ?? 0;
    // The file was replaced.
    const start = now < (end ?? 0) ? 0 : (end ?? 0);
    const parts = (incomplete + decoder.write(readBytes(path, start, now))).split('\n');
    incomplete = parts.pop() ?? '';
    end = now;
    print(parts);
  });
  if (!output.closed.aborted) await once(output.closed, 'abort');
  unwatchFile(path);
}

function printFields(output: Output, line: string): void {
  const entry = parseLogLine(line);
  if (!entry) return;
  output.jsonLine(entry);
}

const readPart = (path: string, start: number, end: number) => readBytes(path, start, end).toString('utf8');

function readBytes(path: string, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
}
