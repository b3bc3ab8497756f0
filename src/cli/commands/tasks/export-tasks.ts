import { renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../../contract/client.ts';
import { formatSize } from '../../../contract/format-size.ts';
import { routeTable } from '../../../contract/route-table.ts';
import { type ShowStep, whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { untilInterrupted } from '../run/on-interrupt.ts';
import { ExportCounter } from './export-counter.ts';

/** `svc tasks export`: as the daemon sends it, without holding it in memory; a file is complete or not there. */
export async function exportTasks(cli: Cli, { output: file }: { output?: string }): Promise<void> {
  const { output } = cli;
  if (file === undefined) {
    for await (const piece of await download(cli)) output.write(String(piece));
    return;
  }
  const stopped = () => ({ message: `Stopped; ${file} was not written.` });
  const wait = { isShown: true, text: 'exporting tasks' };
  await whileWaiting(output, wait, (show) =>
    untilInterrupted(stopped, (signal) => writeExport(cli, file, show, signal)),
  );
  output.note(`Written: ${file}`);
}

async function writeExport(cli: Cli, file: string, show: ShowStep, signal: AbortSignal): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const body = await download(cli, signal);
    // Open before anything can be stopped: a stream that opens its file later may do so after the file was removed.
    const opened = await open(temporary, 'w', 0o600);
    await pipeline(body, counted(show), opened.createWriteStream(), { signal });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function download(cli: Cli, signal?: AbortSignal): Promise<Readable> {
  const { fetch, target } = cli.connect();
  const { method, path } = routeTable.tasks.export;
  const headers = { accept: 'application/json' };
  const response = await fetch(target.url + path, { method, headers, ...(signal && { signal }) });
  if (response.status !== 200 || !response.body)
    throw new ApiError(response.status, JSON.parse(await response.text()));
  return Readable.from(response.body);
}

const counted = (show: ShowStep) =>
  async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const counter = new ExportCounter();
    let bytes = 0;
    for await (const piece of pieces) {
      counter.add(piece);
      bytes += piece.length;
      const { done, total } = counter;
      show({ text: 'exporting tasks', detail: formatSize(bytes), done, total });
      yield piece;
    }
  };
