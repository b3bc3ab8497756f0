import type { Device } from '../../../contract/devices.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';

interface Format {
  json?: boolean;
}

/** `svc devices ls`. */
export async function listDevices(cli: Cli, { json, quiet }: Format & { quiet?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.devices.list();
  if (json) return output.json(answer);
  const { devices } = answer;
  if (quiet) return output.write(devices.map(({ id }) => `${id}\n`).join(''));
  if (devices.length === 0)
    return output.note(
      'No paired devices. Pair a phone: svc devices qr --browser. On another machine: svc devices pair --url URL',
    );
  const now = Date.now();
  const short = idShortener(output, devices);
  output.table<Device>(
    [
      { title: '', value: ({ current }) => (current ? '*' : '') },
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'ROLE', value: ({ role, limited }) => (limited ? 'limited' : role) },
      { title: 'LAST SEEN', value: ({ lastSeenAt }) => (lastSeenAt ? formatAge(lastSeenAt, now) : 'never') },
      { title: 'NAME', value: ({ name }) => name, isElastic: true },
      { title: 'FINGERPRINT', value: ({ fingerprint = '' }) => fingerprint, isElastic: true, fromWidth: 110 },
    ],
    devices,
  );
}

/** `svc devices rename ID NAME`. */
export async function renameDevice(cli: Cli, text: string, name: string, { json }: Format): Promise<void> {
  const { client } = cli.connect();
  const { id, answer } = await withId(text, idsOf(client, 'device'), (each) =>
    client.devices.update({ params: { id: each }, body: { name } }),
  );
  if (json) return cli.output.json(answer);
  cli.output.write(`${id}\n`);
  cli.output.note(`Renamed to ${escapeLine(answer.device.name)}.`);
}

/** `svc devices revoke ID…`. */
export async function revokeDevices(cli: Cli, texts: string[], { json }: Format): Promise<void> {
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'device'), (each) =>
      client.devices.revoke({ params: { id: each } }),
    );
    if (json) return cli.output.json(answer);
    cli.output.write(`${id}\n`);
    cli.output.note('Device revoked.');
  });
}
