import type { Model, ModelProvider } from '../../../contract/providers.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatFacts } from '../../output/facts.ts';
import { printWarnings } from '../../output/print-warnings.ts';
import { providerState } from '../../../contract/provider-state.ts';
import { requireProvider } from './provider-type.ts';
import { whileWaiting } from '../../output/while-waiting.ts';

interface Options {
  json?: boolean;
}

/** `svc providers ls`. */
export async function listProviders(
  cli: Cli,
  { all = false, json }: Options & { all?: boolean },
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.providers.list();
  if (json) return output.json(answer);
  const shown = answer.providers.filter(({ configured }) => all || configured);
  if (shown.length === 0)
    return output.note(
      'No providers configured. Configure one: svc providers configure openai   List all: svc providers ls --all',
    );
  output.table<ModelProvider>(
    [
      { title: '', value: ({ type }) => (type === answer.default?.provider ? '*' : '') },
      { title: 'TYPE', value: ({ type }) => type },
      { title: 'STATE', value: providerState },
      { title: 'MODEL', value: ({ defaultModel = '' }) => defaultModel, isElastic: true },
      { title: 'KEY', value: ({ apiKey = '' }) => apiKey },
      { title: 'BASE URL', value: ({ baseUrl = '' }) => baseUrl, isElastic: true, fromWidth: 100 },
    ],
    shown,
  );
}

/** `svc providers show PROVIDER`. */
export async function showProvider(cli: Cli, text: string, { json }: Options): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.providers.list();
  const type = requireProvider(text, answer.providers);
  const provider = answer.providers.find((each) => each.type === type);
  if (json) return output.json({ provider });
  const isDefault = type === answer.default?.provider;
  output.write(
    formatFacts(
      [
        ['Provider', `${type}${isDefault ? ' (default)' : ''}`],
        ['Name', provider?.custom ? 'OpenAI-compatible server' : provider?.name],
        ['State', provider && providerState(provider)],
        ['Reason', provider?.message],
        ['Base URL', provider?.baseUrl],
        ['Key', provider?.apiKey],
        ['Default model', isDefault ? answer.default?.model : provider?.defaultModel],
        ['Resource', provider?.resourceName],
        ['API version', provider?.apiVersion],
        ['Last used', provider?.lastUsedAt],
      ],
      output.paint,
    ),
  );
}

/** `svc providers models PROVIDER`. */
export async function listModels(cli: Cli, text: string, { json }: Options): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const type = requireProvider(text, (await client.providers.list()).providers);
  const answer = await whileWaiting(output, { isShown: !json, text: `asking ${type} for its models` }, () =>
    client.providers.listModels({ params: { type } }),
  );
  if (json) return output.json(answer);
  output.table<Model>(
    [
      { title: 'MODEL', value: ({ id }) => id },
      {
        title: 'CONTEXT WINDOW',
        value: ({ contextWindow }) => (contextWindow === undefined ? '' : String(contextWindow)),
      },
    ],
    answer.models,
  );
  if (answer.source === 'list')
    output.note(
      output.paintError('dim', 'The provider does not list its models; this built-in list may be outdated.'),
    );
}

/** `svc providers test PROVIDER`. */
export async function testProvider(cli: Cli, text: string, { json }: Options): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const type = requireProvider(text, (await client.providers.list()).providers);
  const answer = await whileWaiting(output, { isShown: !json, text: `testing ${type}` }, () =>
    client.providers.checkHealth({ params: { type } }),
  );
  if (json) output.json(answer);
  const { healthy, latencyMs, modelProblem, message = 'The provider does not respond' } = answer;
  if (!healthy)
    throw new CliError(exitCodes.failed, message, { next: `Configure it: svc providers configure ${type}` });
  if (modelProblem !== undefined)
    throw new CliError(exitCodes.configuration, modelProblem, {
      next: `Set another default model: svc providers configure ${type} --no-key --default-model MODEL`,
    });
  if (!json) output.write(`${type} responded${latencyMs === undefined ? '' : ` in ${latencyMs} ms`}\n`);
}

/** `svc providers default PROVIDER`. */
export async function setDefault(
  cli: Cli,
  text: string,
  { model, json }: Options & { model?: string },
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const provider = requireProvider(text, (await client.providers.list()).providers);
  const answer = await client.providers.setDefault({
    body: { provider, ...(model !== undefined && { model }) },
  });
  if (json) return output.json(answer);
  printWarnings(output, answer);
  output.note(`Default provider: ${escapeLine([provider, model].filter(Boolean).join('/'))}.`);
}
