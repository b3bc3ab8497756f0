import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { exitCodes } from '../exit-codes.ts';
import { withExamples } from '../program.ts';

interface Options {
  json?: boolean;
  fix?: boolean;
}
const marks = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const;

/** `svc doctor`. */
export function fillDoctor(command: Command, cli: Cli): void {
  withExamples(command, ['svc doctor', 'svc doctor --fix', 'svc doctor --json'])
    .option('--fix', 'mend what can be mended')
    .option('--json', 'print the checks as JSON')
    .action((options: Options) => examine(cli, options));
}

async function examine(cli: Cli, { json, fix = false }: Options): Promise<void> {
  const { output } = cli;
  const { localChecks } = await import('../doctor/local-checks.ts');
  const { daemonChecks } = await import('../doctor/daemon-checks.ts');
  const checks = [...localChecks(cli, fix), ...(await daemonChecks(cli))];
  if (checks.some(({ status }) => status === 'fail')) cli.exitCode = exitCodes.failed;
  if (json) return output.json({ checks });
  const { escapeLine } = await import('../escape-text.ts');
  for (const { name, status, message, next } of checks) {
    const [colour, mark] = marks[status];
    output.write(`${output.paint(colour, mark)} ${name.padEnd(9)} ${escapeLine(message)}\n`);
    if (next !== undefined) output.write(`            ${output.paint('dim', escapeLine(next))}\n`);
  }
}
