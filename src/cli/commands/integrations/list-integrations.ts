import type { Setting } from '../../../contract/config.ts';
import type { WebhooksStatus, WebSearchInfo } from '../../../contract/integrations.ts';
import { byWireNames, productNames, type Vendor, wireName } from '../../../contract/vendors.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { type Fact, formatFacts } from '../../output/facts.ts';
import { type ConnectedAccount, connectedAccount } from './connected-account.ts';
import { baseUrlOf, knownSettings, missingApp } from './known-settings.ts';

interface Row {
  name: string;
  connected: string;
  webhooks: string;
  lastEvent: string;
  next: string[];
}

/** `svc integrations ls`: connections, inbound webhooks, and the commands that complete the setup. */
export async function listIntegrations(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const [github, jira, linear, webhooks, webSearch, settings] = await Promise.all([
    connectedAccount(client, 'github'),
    connectedAccount(client, 'jira'),
    connectedAccount(client, 'linear'),
    client.integrations.getWebhooksStatus(),
    client.integrations.getWebSearch(),
    knownSettings(client),
  ]);
  if (json)
    return output.json({
      ...byWireNames({ github: github.status, jira: jira.status, linear: linear.status }),
      webhooks,
      webSearch,
    });
  const context = { webhooks, settings };
  const rows = [
    vendorRow('github', github, context),
    vendorRow('jira', jira, context),
    vendorRow('linear', linear, context),
    searchRow(webSearch),
  ];
  output.table<Row>(
    [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'CONNECTED', value: ({ connected }) => connected, isElastic: true },
      { title: 'WEBHOOKS', value: (row) => row.webhooks },
      { title: 'LAST EVENT', value: ({ lastEvent }) => lastEvent },
    ],
    rows,
  );
  const steps = rows.map(({ name, next }): Fact => [name, next]).filter(([, next]) => next?.length);
  if (steps.length > 0) output.note(`\nNext:\n${formatFacts(steps, output.paintError, '  ').trimEnd()}`);
}

interface SetupContext {
  webhooks: WebhooksStatus;
  settings: Map<string, Setting> | undefined;
}

function vendorRow(vendor: Vendor, account: ConnectedAccount, context: SetupContext): Row {
  const { webhooks, settings } = context;
  const { configured, lastEvent, eventCount = 0 } = webhooks[wireName(vendor)];
  const isSeen = 'webhookConfigured' in account.status && account.status.webhookConfigured;
  const isWorking = configured && (isSeen || eventCount > 0);
  const connect =
    account.name === undefined
      ? [...(settings ? missingApp(settings, vendor) : []), `svc integrations connect ${vendor}`]
      : [];
  return {
    name: productNames[vendor],
    connected: account.name ?? 'no',
    webhooks: !configured ? 'no secret' : isWorking ? 'configured' : 'none yet',
    lastEvent: lastEvent ? formatAge(lastEvent, Date.now()) : 'never',
    next: [...connect, ...(isWorking ? [] : hookSteps(vendor, context))],
  };
}

/** The remaining steps until webhooks of the vendor arrive, if the user may take them. */
function hookSteps(vendor: Vendor, { webhooks, settings }: SetupContext): string[] {
  if (!settings) return [];
  if (!webhooks[wireName(vendor)].configured) return [`svc config set webhooks.${vendor}.signingSecret`];
  const baseUrl = baseUrlOf(settings);
  return baseUrl === undefined
    ? [`svc config set server.baseUrl URL (where ${productNames[vendor]} reaches the daemon)`]
    : [`create a webhook there that sends to ${baseUrl}/api/webhooks/${wireName(vendor)}`];
}

function searchRow({ status, providers }: WebSearchInfo): Row {
  const chosen = providers.find(({ id }) => id === status.provider);
  return {
    name: 'Web search',
    connected: status.available ? (chosen?.name ?? 'yes') : 'no',
    webhooks: '',
    lastEvent: '',
    next: status.reason === null ? [] : [status.reason],
  };
}
