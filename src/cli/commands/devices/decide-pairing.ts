import type { PairingRequest } from '../../../contract/pairing.ts';
import type { Role } from '../../../contract/users.ts';
import { ApiError } from '../../../contract/client.ts';
import { confirm, requireAnswer } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { spellAge, spellLeft } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { deviceNameOf, showRequester } from './show-requester.ts';

export interface ApproveOptions {
  role?: Role;
  name?: string;
  yes?: boolean;
  json?: boolean;
}
/** Behind a QR code that nobody has scanned there is no device. */
const unclaimed = 'qr';

/** `svc devices pending`. */
export async function listPending(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.pairing.listPending();
  if (json) return output.json(answer);
  const requests = answer.requests.filter(({ requesterId }) => requesterId !== unclaimed);
  if (requests.length === 0) return output.note('No device waits. One asks with: svc devices pair --url URL');
  const now = Date.now();
  output.table<PairingRequest>(
    [
      { title: 'DEVICE', value: deviceNameOf, isElastic: true },
      { title: 'ADDRESS', value: ({ address = '' }) => address },
      { title: 'ASKED', value: ({ createdAt }) => spellAge(createdAt, now) },
      { title: 'EXPIRES', value: ({ expiresAt }) => spellLeft(expiresAt, now) },
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
  const { request } = await client.pairing.getByCode({ body: { code } }).catch(wrongCode);
  if (request.status !== 'pending')
    throw new CliError(exitCodes.invalid, `This request is ${request.status} already.`, {
      next: 'See: svc devices ls',
    });
  showRequester(cli, request, (await client.devices.getIdentity()).fingerprint);
  const answer = await approveShown(cli, { code, request }, options);
  if (options.json) cli.output.json(answer);
}

function wrongCode(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
  const next = 'Compare it with the device; a code is good for 10 minutes.';
  throw new CliError(exitCodes.notFound, error.message, { next, cause: error });
}

/** Asks, unless --yes says it, and approves who was shown and nobody else; a no leaves the request to wait. */
export async function approveShown(
  cli: Cli,
  { code, request }: { code: string; request: PairingRequest },
  { role, name, yes = false }: ApproveOptions,
) {
  const { output } = cli;
  if (!yes) {
    output.note(
      request.fingerprint === undefined
        ? '\nIt has no key to compare. Approve only if you hold the device in your hand.'
        : '\nApprove only if the device shows the same fingerprints.',
    );
    const asked = role ?? (await cli.connect().client.auth.getMe()).user.role;
    if (!(await confirm(cli, `Approve as ${roleWords[asked]}?`)))
      throw new CliError(exitCodes.cancelled, 'Not approved; it still waits.', {
        next: `Turn it away: svc devices reject ${code}`,
      });
  }
  const answer = await cli.connect().client.pairing.approve({
    body: {
      code,
      version: request.version,
      ...(role !== undefined && { role }),
      ...(name !== undefined && { name }),
    },
  });
  const { role: granted = 'user' } = answer.request;
  output.note(
    `${escapeLine(name ?? deviceNameOf(answer.request))} is paired with the rights of ${roleWords[granted]}. See: svc devices ls`,
  );
  return answer;
}

const roleWords = { admin: 'an administrator', user: 'a user' } as const satisfies Record<Role, string>;

/** `svc devices reject CODE`. */
export async function rejectDevice(
  cli: Cli,
  words: string[],
  { reason, json }: { reason?: string; json?: boolean },
): Promise<void> {
  const { output } = cli;
  const answer = await cli
    .connect()
    .client.pairing.reject({
      body: { code: words.join(' '), ...(reason !== undefined && { reason }) },
    })
    .catch(wrongCode);
  if (json) return output.json(answer);
  output.note(`${escapeLine(deviceNameOf(answer.request))} is turned away.`);
}
