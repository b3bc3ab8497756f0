import { randomBytes } from 'node:crypto';
import type { Cli } from '../../program/cli.ts';

interface Options {
  remove?: boolean;
  json?: boolean;
}

/** `svc auth access-key`. */
export async function setAccessKey(cli: Cli, { remove = false, json }: Options): Promise<void> {
  const { output } = cli;
  const key = remove ? null : randomBytes(18).toString('base64url');
  const answer = await cli.connect().client.auth.updateAccessKey({ body: { key } });
  if (json) return output.json({ ...answer, ...(key !== null && { accessKey: key }) });
  if (key === null) return output.note('Access key removed. Set a new one: svc auth access-key');
  output.write(`${key}\n`);
  output.note(
    'Store it now; it is shown only once. The previous key is revoked and its browsers are signed out.',
  );
}
