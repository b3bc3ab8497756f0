import type { PairingRequest } from '../../../contract/pairing.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { formatFacts } from '../../output/facts.ts';
import { formatFingerprint } from './format-fingerprint.ts';

/** Prints the requester to stderr; everything but the address is what the device claims about itself. */
export function showRequester(
  { output }: Cli,
  { meta, requesterId, address, fingerprint, createdAt }: PairingRequest,
  daemonFingerprint: string,
): void {
  const name = deviceNameOf({ meta, requesterId });
  output.errorStream.write(
    formatFacts(
      [
        ['device', name === requesterId ? name : `${name} (${requesterId})`],
        ['platform', textOf(meta['platform'])],
        ['address', address],
        ['requested', formatAge(createdAt, Date.now())],
        ['fingerprint', fingerprint === undefined ? 'none (no key)' : formatFingerprint(fingerprint)],
        ['this daemon', formatFingerprint(daemonFingerprint)],
      ],
      output.paintError,
    ),
  );
}

/** What the device calls itself. */
export const deviceNameOf = ({ meta, requesterId }: Pick<PairingRequest, 'meta' | 'requesterId'>): string =>
  textOf(meta['name']) ?? requesterId;

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
