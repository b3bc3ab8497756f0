import type { Cli } from '../../program/cli.ts';
import { formatLeft } from '../../output/duration.ts';

/** `svc auth link`: the part after # stays in the browser and out of every log. */
export async function showSignInLink(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.auth.createSignInLink();
  if (json) return output.json(answer);
  output.write(`${answer.url}\n`);
  const left = formatLeft(answer.expiresAt, Date.now());
  output.note(`Open it in a browser to sign in there. It works once and expires in ${left}.`);
}
