import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterDaemon, ClusterReport } from '../../../contract/cluster.ts';
import { Unreachable } from '../../connection/connection.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { type ShowStep, whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { findDaemon } from './find-daemon.ts';

const LOOK_EVERY_MS = 500;

interface DrainOptions {
  /** Milliseconds. */
  timeout?: number;
  stop?: boolean;
  json?: boolean;
}

/** `svc cluster drain`: succeeds once nothing runs on the daemon, and with --stop once it has left the cluster. */
export async function drainDaemon(
  cli: Cli,
  text: string | undefined,
  { timeout, stop = false, json }: DrainOptions,
): Promise<void> {
  const { client } = cli.connect({ mayStart: false });
  const report = await client.cluster.get();
  const { id, ...found } = findDaemon(report, text);
  const { output } = cli;
  const asked = await client.cluster.drain({
    params: { id },
    body: { stop, ...(timeout !== undefined && { timeoutSeconds: Math.ceil(timeout / 1000) }) },
  });
  if (!report.daemons.some((each) => each.id !== id && each.role !== 'api' && each.state === 'ready'))
    output.note('No other daemon takes tasks, so new ones wait.');
  const name = escapeLine(found.name);
  const last = await whileWaiting(output, { isShown: !json, text: `draining ${name}` }, async (show) => {
    let current = asked;
    for (;;) {
      const next = await lookAt(() => client.cluster.get(), id, stop && id === report.answeredBy);
      if (!next) return { ...current, running: 0, isGone: true };
      current = next;
      if (current.state !== 'draining') throw interrupted(current);
      if (current.drained && !stop) return { ...current, isGone: false };
      showRunning(show, name, current);
      await delay(LOOK_EVERY_MS);
    }
  });
  const { isGone, ...daemon } = last;
  if (json) return output.json(isGone ? { ...daemon, stopped: true } : daemon);
  output.note(
    isGone ? `${name} has stopped.` : `${name} is drained. Take it back: svc cluster resume ${name}`,
  );
}

/** `svc cluster resume`. */
export async function resumeDaemon(cli: Cli, text: string, { json }: { json?: boolean }): Promise<void> {
  const { client } = cli.connect({ mayStart: false });
  const { id } = findDaemon(await client.cluster.get(), text);
  const daemon = await client.cluster.resume({ params: { id } });
  if (json) cli.output.json(daemon);
  else cli.output.note(`${escapeLine(daemon.name)} takes tasks again.`);
}

/** Undefined where the daemon has left the cluster; one that stops may be the one that is asked. */
async function lookAt(
  get: () => Promise<ClusterReport>,
  id: string,
  mayBeGone: boolean,
): Promise<ClusterDaemon | undefined> {
  try {
    return (await get()).daemons.find((each) => each.id === id);
  } catch (error) {
    if (mayBeGone && error instanceof Unreachable) return undefined;
    throw error;
  }
}

function showRunning(show: ShowStep, name: string, { running, drained }: ClusterDaemon): void {
  const text = drained ? `stopping ${name}` : `draining ${name}`;
  show({ text, detail: running === 1 ? '1 task is running' : `${running} tasks are running` });
}

/** Why the daemon does not drain any more. */
function interrupted({ name: ofDaemon, state, running }: ClusterDaemon): CliError {
  const name = escapeLine(ofDaemon);
  return state === 'silent'
    ? new CliError(
        exitCodes.failed,
        `${name} does not respond any more.${running > 0 ? ` Tasks that it had run again elsewhere: ${running}.` : ''}`,
        { next: 'See: svc cluster ls' },
      )
    : new CliError(exitCodes.failed, `${name} takes tasks again: it was resumed or restarted meanwhile.`);
}
