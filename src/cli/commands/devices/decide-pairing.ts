import type { PairingRequest } from '../../../contract/pairing.ts';
import type { Role } from '../../../contract/users.ts';
import { ApiError } from '../../../contract/client.ts';
import { confirm, requireAnswer } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge, formatLeft } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { deviceNameOf, showRequester } from './show-requester.ts';

export interface ApproveOptions {
  role?: Role;
  name?: string;
  limited?: boolean;
  yes?: boolean;
  json?: boolean;
}
/** The requester ID of a QR code that no device has scanned yet. */
const unclaimed = 'qr';

/** `svc devices pending`. */
export async function listPending(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.pairing.listPending();
  if (json) return output.json(answer);
  const requests = answer.requests.filter(({ requesterId }) => requesterId !== unclaimed);
  if (requests.length === 0)
    return output.note('No pending pairing requests. Pair a device with: svc devices pair --url URL');
  const now = Date.now();
  output.table<PairingRequest>(
    [
      { title: 'DEVICE', value: deviceNameOf, isElastic: true },
      { title: 'ADDRESS', value: ({ address = '' }) => address },
      { title: 'REQUESTED', value: ({ createdAt }) => formatAge(createdAt, now) },
      { title: 'EXPIRES', value: ({ expiresAt }) => formatLeft(expiresAt, now) },
      { title: 'FINGERPRINT', value: ({ fingerprint = '' }) => fingerprint, isElastic: true },
    ],
    requests,
  );
  output.note(
    output.paintError('dim', 'Approve with the code that the device shows: svc devices approve CODE'),
  );
}

/** `svc devices approve CODE`: shows the requester, then confirms. */
export async function approveDevice(cli: Cli, words: string[], options: ApproveOptions): Promise<void> {
  const code = words.join(' ');
  if (!options.yes) requireAnswer(cli);
  const { client } = cli.connect();
  const { request } = await client.pairing.getByCode({ body: { code } }).catch(wrongCode);
  if (request.status !== 'pending')
    throw new CliError(exitCodes.invalid, `This request is already ${request.status}.`, {
      next: 'See: svc devices ls',
    });
  showRequester(cli, request, (await client.devices.getIdentity()).fingerprint);
  const answer = await approveShown(cli, { code, request }, options);
  if (options.json) cli.output.json(answer);
}

function wrongCode(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
  const next = 'Compare it with the device; codes expire after 10 minutes.';
  throw new CliError(exitCodes.notFound, error.message, { next, cause: error });
}

/** Confirms unless --yes is given, and approves only the request that was shown; after a no it stays pending. */
export async function approveShown(
  cli: Cli,
  { code, request }: { code: string; request: PairingRequest },
  { role, name, limited = false, yes = false }: ApproveOptions,
) {
  const { output } = cli;
  if (!yes) {
    output.note(
      request.fingerprint === undefined
        ? '\nThe device has no key to compare. Approve only a device that you hold in your hand.'
        : '\nApprove only if the device shows the same fingerprints.',
    );
    const asked = role ?? (await cli.connect().client.auth.getMe()).user.role;
    const isLimited = limited || request.limited;
    if (!(await confirm(cli, `Approve as ${isLimited ? limitedWords : roleWords[asked]}?`)))
      throw new CliError(exitCodes.cancelled, 'Not approved; the request is still pending.', {
        next: `Reject it: svc devices reject ${code}`,
      });
  }
  const answer = await cli.connect().client.pairing.approve({
    body: {
      code,
      version: request.version,
      ...(role !== undefined && { role }),
      ...(name !== undefined && { name }),
      ...(limited && { limited }),
    },
  });
  const { role: granted = 'user' } = answer.request;
  const rights = answer.request.limited ? limitedWords : roleWords[granted];
  output.note(
    `Paired ${escapeLine(name ?? deviceNameOf(answer.request))} as ${rights}. List devices: svc devices ls`,
  );
  return answer;
}

const limitedWords = 'a device that looks, decides and cancels';
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
  output.note(`Rejected ${escapeLine(deviceNameOf(answer.request))}.`);
}
