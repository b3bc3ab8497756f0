import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client } from '../../../contract/client.ts';
import type { SyncResult } from '../../../contract/memory.ts';
import type { Cli } from '../../program/cli.ts';
import { Unreachable } from '../../connection/connection.ts';
import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatFacts } from '../../output/facts.ts';
import { type Interrupt, interruptCodes, onInterrupt } from '../run/on-interrupt.ts';
import { toFullPath } from './shown-path.ts';
import { type SyncDisplay, syncDisplay } from './sync-progress.ts';

interface SyncOptions {
  json?: boolean;
  quiet?: boolean;
}

/** How often to poll the progress; without a display, only to notice that the daemon is gone. */
const POLL_MS = 250;
const RARELY_MS = 5000;
const CANCEL_MS = 200;

/** `svc memory sync [FOLDER]`: waits until it has finished; Ctrl-C cancels it at the daemon. */
export async function syncMemory(
  cli: Cli,
  folder: string | undefined,
  { json = false, quiet = false }: SyncOptions,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const basePath = folder === undefined ? undefined : toFullPath(cli, folder);
  const isShown = output.isLively && !quiet && !json;
  const display = await syncDisplay(output, isShown);
  const settled = new AbortController();
  const failed = Promise.withResolvers<never>();
  let stoppedBy: Interrupt | undefined;
  const forget = onInterrupt((signal) => {
    stoppedBy = signal;
    display.say('stopping; press Ctrl-C again to exit now');
    cancel(client, settled.signal).catch(failed.reject);
  });
  pollProgress(client, display, isShown ? POLL_MS : RARELY_MS, settled.signal).catch(failed.reject);
  let result: SyncResult;
  try {
    result = await Promise.race([wait(cli, basePath, settled.signal), failed.promise]);
  } finally {
    settled.abort();
    display.end();
    forget();
  }
  if (stoppedBy) cli.exitCode = interruptCodes[stoppedBy];
  else if (result.cancelled) cli.exitCode = exitCodes.cancelled;
  if (json) return output.json(result);
  if (!quiet) {
    printResult(cli, result);
    noteMissingVectors(cli, result);
  }
  if (result.cancelled)
    return output.note(`Stopped; files indexed so far are kept. Continue: ${command(folder)}`);
  if (!quiet && result.synced > 0) output.note('Search it: svc memory search QUERY');
  if (!quiet && result.synced === 0) output.note('No indexable files found.');
}

/** Requests the sync. If a proxy times out before it finishes, requests the remaining part again. */
async function wait(cli: Cli, basePath: string | undefined, signal: AbortSignal): Promise<SyncResult> {
  const { client } = cli.connect();
  const order = { body: basePath === undefined ? {} : { basePath } };
  for (;;) {
    try {
      return await client.memory.sync(order, { silenceMs: 0, signal });
    } catch (error) {
      if (!isCutOff(error) || signal.aborted) throw error;
      while ((await client.memory.getStats({}, { signal })).syncing)
        await delay(POLL_MS, undefined, { signal });
      cli.output.note(
        'The connection was lost during the sync; these are the results of the remaining part.',
      );
    }
  }
}

const isCutOff = (error: unknown) =>
  error instanceof ApiError
    ? [502, 504].includes(error.status)
    : error instanceof Unreachable && !error.isRefused;

/** Shows the progress; rejects when the daemon is gone, which a silent connection would not reveal. */
async function pollProgress(
  client: Client,
  display: SyncDisplay,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await delay(everyMs, undefined, { signal });
      const { syncing } = await client.memory.getStats({}, { signal });
      if (syncing && !signal.aborted) display.show(syncing);
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      // The response to the sync request reports the error.
      if (!(error instanceof ApiError) && !signal.aborted) throw error;
    }
  }
}

/** Cancels the sync, retrying until it has started. */
async function cancel(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await client.memory.cancelSync({}, { signal });
      await delay(CANCEL_MS, undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      const isNotYet = error instanceof ApiError && [400, 404, 409].includes(error.status);
      if (!isNotYet) throw error;
      await delay(CANCEL_MS);
    }
  }
}

function printResult({ output }: Cli, result: SyncResult): void {
  const count = (n: number) => n.toLocaleString('en');
  const reasons = Object.entries(result.reasons).toSorted(([, a], [, b]) => b - a);
  output.write(
    formatFacts(
      [
        ['Indexed', `${count(result.synced)} ${result.synced === 1 ? 'file' : 'files'}`],
        ['Added', count(result.added)],
        ['Updated', count(result.updated)],
        ['Removed', count(result.removed)],
        [
          'Skipped',
          result.skipped === 0
            ? undefined
            : [count(result.skipped), ...reasons.map(([reason, n]) => `  ${count(n)} ${reason}`)],
        ],
        ['Took', formatDuration(result.durationMs)],
      ],
      output.paint,
    ),
  );
}

/** The daemon retries missing vectors automatically. */
function noteMissingVectors({ output }: Cli, { embeddingFailure }: SyncResult): void {
  if (embeddingFailure === undefined) return;
  output.note(`Search by meaning does not cover all files yet: ${escapeLine(embeddingFailure)}`);
  output.note('It is retried automatically. See the progress: svc memory stats');
}

const command = (folder: string | undefined) =>
  `svc memory sync${folder === undefined ? '' : ` ${escapeLine(folder)}`}`;
