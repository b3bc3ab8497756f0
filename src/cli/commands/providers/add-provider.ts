import { ask, canAsk } from '../../input/ask.ts';
import { readPiped } from '../../input/read-secret.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Cli } from '../../program/cli.ts';

export interface AddOptions {
  baseUrl?: string;
  apiKeyStdin?: boolean;
  /** False with --no-key. */
  key: boolean;
  defaultModel?: string;
  default?: boolean;
  json?: boolean;
}

/** `svc providers add NAME`: a key is never an argument, where other users could see it. */
export async function addProvider(cli: Cli, name: string, options: AddOptions): Promise<void> {
  const { output } = cli;
  const { baseUrl, defaultModel, json } = options;
  if (baseUrl === undefined)
    throw new CliError(exitCodes.usage, 'A server needs its address.', {
      next: `svc providers add ${name} --base-url http://127.0.0.1:8080/v1`,
    });
  const apiKey = await readKey(cli, name, options);
  const { provider } = await cli.connect().client.providers.add({
    body: {
      name,
      baseUrl,
      ...(apiKey !== '' && { apiKey }),
      ...(defaultModel !== undefined && { defaultModel }),
      ...(options.default && { default: true }),
    },
  });
  if (json) return output.json({ provider });
  const isDefault = options.default ? ' It is the default provider.' : '';
  output.note(`${name} added.${isDefault} Test it: svc providers test ${name}`);
}

/** Many servers need no key, so an empty line is an answer. */
async function readKey(cli: Cli, name: string, { apiKeyStdin, key }: AddOptions): Promise<string> {
  const flag = `svc providers add ${name} --api-key-stdin < FILE`;
  if (apiKeyStdin) {
    const piped = await readPiped(true);
    if (piped !== undefined) return piped.trim();
  } else if (!key || !canAsk(cli)) return '';
  const text = `API key for ${name} (Enter for none): `;
  const [typed = ''] = await ask(cli, [{ text, isHidden: true, mayBeEmpty: true }], `Pipe it in: ${flag}`);
  return typed.trim();
}
