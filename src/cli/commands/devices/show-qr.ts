import { requireAnswer } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { formatLeft } from '../../output/duration.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { type ApproveOptions, approveShown } from './decide-pairing.ts';
import { showRequester } from './show-requester.ts';
import { requireApproved, watchPairing } from './watch-pairing.ts';

/** What scanners want around a code, in modules; a terminal has more space than lines. */
const BORDER = 2;

/** `svc devices qr`: shows a code to scan, waits for a device, and approves it. */
export async function showQr(
  cli: Cli,
  options: ApproveOptions & { timeout?: number; browser?: boolean },
): Promise<void> {
  const again = `Show a new code: svc devices qr${options.browser ? ' --browser' : ''}`;
  const { output } = cli;
  if (!options.yes) requireAnswer(cli);
  const { client } = cli.connect();
  const answer = await client.pairing.createQr({ query: { link: options.browser ? 'browser' : 'app' } });
  const { pairingUrl, code, requestId, expiresAt, daemonFingerprint } = answer;
  if (output.isTerminal && !options.json) {
    const { renderUnicodeCompact } = await import('uqr');
    const lines = renderUnicodeCompact(pairingUrl, { ecc: 'L', border: BORDER }).split('\n');
    // Light on dark in any terminal theme, or scanners see it inverted.
    output.write(lines.map((line) => `${output.paint(['whiteBright', 'bgBlack'], line)}\n`).join(''));
  } else if (!options.json) output.write(`${pairingUrl}\n`);
  if (options.json) output.jsonLine({ pairingUrl, code, expiresAt, daemonFingerprint });
  if (isOnlyHere(pairingUrl))
    output.note(
      `${output.paintError('yellow', '!')} Only this machine can reach this address. Set another one:\n  svc config set server.baseUrl https://…, then svc daemon restart`,
    );
  const left = formatLeft(expiresAt, Date.now());
  output.note(`Scan it, or enter this code on the device within ${left} (Ctrl-C cancels):\n${code}`);
  const state = await watchPairing(client, {
    requestId,
    until: ({ claimedBy }) => claimedBy !== undefined,
    timeoutMs: options.timeout,
    next: again,
  });
  requireApproved(state, again);
  const { request } = await client.pairing.getByCode({ body: { code } });
  if (request.status !== 'pending')
    throw new CliError(exitCodes.invalid, `The request is already ${request.status}.`, { next: again });
  output.note('');
  showRequester(cli, request, daemonFingerprint);
  const approval = await approveShown(cli, { code, request }, options);
  if (options.json) output.jsonLine(approval);
}

function isOnlyHere(pairingUrl: string): boolean {
  const host = new URL(pairingUrl).searchParams.get('host') ?? pairingUrl;
  return URL.canParse(host) && /^(localhost|127\..*|\[::1\])$/.test(new URL(host).hostname);
}
