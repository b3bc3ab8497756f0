import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { daemonChecks } from './daemon-checks.ts';
import { localChecks } from './local-checks.ts';
import { whileWaiting } from '../../output/while-waiting.ts';

interface Options {
  json?: boolean;
  fix?: boolean;
}
const marks = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'], skip: ['dim', '-'] } as const;

/** `svc doctor`: exit code 1 when a check fails. */
export async function runChecks(cli: Cli, { json, fix = false }: Options): Promise<void> {
  const { output } = cli;
  const checks = await whileWaiting(output, { isShown: !json, text: 'checking' }, async () => [
    ...localChecks(cli, fix),
    ...(await daemonChecks(cli, fix)),
  ]);
  if (checks.some(({ status }) => status === 'fail')) cli.exitCode = exitCodes.failed;
  if (json) return output.json({ checks });
  for (const { name, status, message, next } of checks) {
    const [colour, mark] = marks[status];
    output.write(`${output.paint(colour, mark)} ${name.padEnd(9)} ${escapeLine(message)}\n`);
    if (next !== undefined) output.write(`            ${output.paint('dim', escapeLine(next))}\n`);
  }
}
