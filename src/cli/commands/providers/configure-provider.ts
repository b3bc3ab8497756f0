import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { readSecret } from '../../input/read-secret.ts';
import { requireProvider } from './provider-type.ts';

export interface ConfigureOptions {
  baseUrl?: string;
  defaultModel?: string;
  resourceName?: string;
  apiVersion?: string;
  apiKeyStdin?: boolean;
  /** False with --no-key. */
  key: boolean;
  forgetKey?: boolean;
  enable?: boolean;
  disable?: boolean;
  json?: boolean;
}

/** `svc providers configure PROVIDER`: a key is never an argument, where other users could see it. */
export async function configureProvider(cli: Cli, text: string, options: ConfigureOptions): Promise<void> {
  const { baseUrl, defaultModel, resourceName, apiVersion, forgetKey, enable, disable, json } = options;
  const { output } = cli;
  if (enable && disable) throw new CliError(exitCodes.usage, 'Use either --enable or --disable, not both.');
  const { client } = cli.connect();
  const { providers } = await client.providers.list();
  const type = requireProvider(text, providers);
  const isServer = providers.some((each) => each.type === type && each.custom);
  // Most servers need no key; without anything else to change, it is what is meant.
  const changesOther = [baseUrl, defaultModel, enable].some((each) => each !== undefined);
  const takesKey = isServer ? !changesOther : type !== 'ollama';
  const needsKey = options.apiKeyStdin || (options.key && !forgetKey && !disable && takesKey);
  const apiKey = needsKey
    ? (await readSecret(cli, `API key for ${type}: `, `svc providers configure ${type} < FILE`)).trim()
    : undefined;
  const { provider } = await client.providers.configure({
    params: { type },
    body: {
      ...(apiKey !== undefined && { apiKey }),
      ...(forgetKey && { apiKey: null }),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(defaultModel !== undefined && { defaultModel }),
      ...(resourceName !== undefined && { resourceName }),
      ...(apiVersion !== undefined && { apiVersion }),
      ...((enable || disable) && { enabled: enable === true }),
    },
  });
  if (json) return output.json({ provider });
  output.note(
    provider.configured
      ? `${provider.name} configured. Test it: svc providers test ${type}`
      : `${provider.name} is not configured yet. See: svc providers configure --help`,
  );
}
