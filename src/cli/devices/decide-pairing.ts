import type { PairingRequest } from '../../contract/pairing.ts';
import type { Role } from '../../contract/users.ts';
import { confirm, requireAnswer } from '../ask.ts';
import { CliError } from '../cli-error.ts';
import type { Cli } from '../cli.ts';
import { spellAge } from '../duration.ts';
import { escapeLine } from '../escape-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { deviceNameOf, showRequester } from './show-requester.ts';

export interface ApproveOptions {
  role?: Role;
  name?: string;
  yes?: boolean;
  json?: boolean;
}
interface ListOptions {
  json?: boolean;
  quiet?: boolean;
}

/** `svc devices pending`. */
export async function listPending(cli: Cli, { json, quiet }: ListOptions): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.pairing.pending();
  if (json) return output.json(answer);
  const { requests } = answer;
  if (quiet) return output.write(requests.map(({ id }) => `${id}\n`).join(''));
  if (requests.length === 0) return output.note('No device waits. One asks with: svc devices pair --url URL');
  const now = Date.now();
  output.table<PairingRequest>(
    [
      { title: 'DEVICE', value: deviceNameOf, isElastic: true },
      { title: 'ADDRESS', value: ({ address = '' }) => address },
      { title: 'ASKED', value: ({ createdAt }) => spellAge(createdAt, now) },
      { title: 'FINGERPRINT', value: ({ fingerprint = '' }) => fingerprint, isElastic: true },
    ],
    requests,
  );
  output.note(
    output.paintError('dim', 'Decide with the code that the device shows: svc devices approve CODE'),
  );
}

/** `svc devices approve CODE`: shows who asks before it asks. */
export async function approveDevice(cli: Cli, words: string[], options: ApproveOptions): Promise<void> {
  const code = words.join(' ');
  if (!options.yes) requireAnswer(cli);
  const { client } = cli.connect();
  const { request } = await client.pairing.inspect({ body: { code } });
  if (request.status !== 'pending')
    throw new CliError(exitCodes.invalid, `This request is ${request.status} already.`, {
      next: 'See: svc devices ls',
    });
  showRequester(cli, request, (await client.devices.identity()).fingerprint);
  await approveShown(cli, { code, request }, options);
}

/** Asks, unless --yes says it, and approves who was shown and nobody else; a no leaves the request to wait. */
export async function approveShown(
  cli: Cli,
  { code, request }: { code: string; request: PairingRequest },
  options: ApproveOptions,
): Promise<void> {
  const { output } = cli;
  const { role, name, yes = false, json } = options;
  if (!yes) {
    output.note('\nApprove only if the device shows the same fingerprints.');
    if (!(await confirm(cli, 'Approve?')))
      throw new CliError(exitCodes.cancelled, 'Not approved; it still waits.', {
        next: `Turn it away: svc devices reject ${code}`,
      });
  }
  const answer = await cli.connect().client.pairing.approve({
    body: {
      code,
      fingerprint: request.fingerprint ?? null,
      ...(role !== undefined && { role }),
      ...(name !== undefined && { name }),
    },
  });
  if (json) return output.json(answer);
  const { role: granted = 'user' } = answer.request;
  output.note(
    `${escapeLine(name ?? deviceNameOf(answer.request))} is paired with the rights of ${granted === 'admin' ? 'an administrator' : 'a user'}. See: svc devices ls`,
  );
}

/** `svc devices reject CODE`. */
export async function rejectDevice(
  cli: Cli,
  words: string[],
  { reason, json }: { reason?: string; json?: boolean },
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.pairing.reject({
    body: { code: words.join(' '), ...(reason !== undefined && { reason }) },
  });
  if (json) return output.json(answer);
  output.note(`${escapeLine(deviceNameOf(answer.request))} is turned away.`);
}
