import { sandboxAccessWords, sandboxNetwork, withoutSandbox } from '../../../contract/sandbox-words.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';

/** `svc sandbox explain [AGENT]`. */
export async function explainSandbox(
  cli: Cli,
  agent: string | undefined,
  { json }: { json?: boolean },
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.sandbox.explain({ query: agent === undefined ? {} : { agent } });
  if (json) return output.json(answer);
  const { sandbox } = answer;
  const subject = sandbox.agent ?? 'Commands of tools';
  if (!sandbox.isWorking) {
    output.write(
      `${output.paint('yellow', '!')} ${subject}: no sandbox, because ${escapeLine(sandbox.reason ?? '')}\n`,
    );
    output.write(`${withoutSandbox(sandbox)}\n`);
    return output.note(sandbox.hint ?? '');
  }
  output.write(`${output.paint('green', '✓')} ${subject}: in a sandbox\n`);
  for (const [access, title] of Object.entries(sandboxAccessWords)) {
    const rows = sandbox.paths.filter((row) => row.access === access);
    if (rows.length === 0) continue;
    output.write(`\n${output.paint('dim', title)}\n`);
    const width = Math.max(...rows.map(({ path }) => path.length));
    for (const { path, why } of rows)
      output.write(`  ${escapeLine(path).padEnd(width)}  ${output.paint('dim', escapeLine(why))}\n`);
  }
  output.write(`\n${output.paint('dim', 'Network')}\n`);
  output.write(`  ${sandboxNetwork(sandbox)}\n`);
  output.note(`\nTry it: svc sandbox test${sandbox.agent === undefined ? '' : ` ${sandbox.agent}`}`);
}
