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
  if (key === null)
    return output.note('No access key is needed any more. Set one again: svc auth access-key');
  output.write(`${key}\n`);
  output.note(
    'Keep it now, it is shown this once. The one before it is no longer good, and its browsers are signed out.',
  );
}
