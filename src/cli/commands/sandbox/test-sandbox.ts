import { exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { whileWaiting } from '../../output/while-waiting.ts';

/** `svc sandbox test [AGENT]`: exit code 1 where something is not as it should be. */
export async function testSandbox(
  cli: Cli,
  agent: string | undefined,
  { json }: { json?: boolean },
): Promise<void> {
  const { output } = cli;
  const answer = await whileWaiting(output, { isShown: !json, text: 'testing the sandbox' }, () =>
    cli.connect().client.sandbox.test({ body: agent === undefined ? {} : { agent } }),
  );
  const { test } = answer;
  if (!test.passed) cli.exitCode = exitCodes.failed;
  if (json) return output.json(answer);
  for (const { name, passed, detail } of test.checks) {
    const mark = passed ? output.paint('green', '✓') : output.paint('red', '✗');
    output.write(`${mark} ${escapeLine(detail ? `${name}: ${detail}` : name)}\n`);
  }
  if (test.reason !== undefined) {
    output.write(`${output.paint('red', '✗')} There is no sandbox: ${escapeLine(test.reason)}\n`);
    output.note(`See: svc sandbox explain${agent === undefined ? '' : ` ${agent}`}`);
  }
}
