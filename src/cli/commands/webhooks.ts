import { choiceTable } from '../../contract/choice-table.ts';
import { id } from '../ids/id-type.ts';
import { optional, required, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option, repeatable } from '../program/options.ts';
import { json, jsonEach, limit, offset, quiet } from '../program/shared-options.ts';
import { choice, text, wholeNumber } from '../program/value-type.ts';
import { vendor } from './integrations/vendors.ts';
import { eventMeanings } from '../../contract/webhook-event-meanings.ts';
import { formatMeanings } from './webhooks/format-meanings.ts';

const webhookId = id('webhook');
const inboundId = id('inboundDelivery');
const secretFromStdin = flag('--secret-stdin', 'Use this secret, prompted for or read from stdin');
const jsonWithSecret = flag('--json', "Print the daemon's response as JSON, with the secret");

const ls = defineCommand({
  name: 'ls',
  summary: 'List webhooks',
  examples: ['svc webhooks ls', 'svc webhooks ls --json', 'svc webhooks ls --quiet'],
  options: [json, quiet],
  run: async ({ cli, options }) => (await import('./webhooks/list-webhooks.ts')).listWebhooks(cli, options),
});

const add = defineCommand({
  name: 'add',
  summary: 'Create a webhook and print its secret once',
  examples: [
    'svc webhooks add https://example.com/hook -e task.completed -e task.failed',
    'svc webhooks add https://example.com/hook --all-events --secret-stdin < secret',
    'svc webhooks add https://ntfy.sh/svc-x7k2m9 --format text -e approval.requested -e task.failed',
  ],
  args: { url: required(text, 'URL that events are sent to') },
  options: [
    repeatable(
      '-e, --event <event>',
      'Subscribe to an event',
      choice(choiceTable.webhooks.create.events, { meanings: eventMeanings, title: 'Events' }),
    ),
    flag('--all-events', 'Subscribe to all events'),
    option(
      '--format <format>',
      'What is sent',
      choice(choiceTable.webhooks.create.format, { meanings: formatMeanings, title: 'Formats' }),
    ),
    option('--description <text>', 'Description', text),
    secretFromStdin,
    flag('--token-stdin', 'Send this bearer token, prompted for or read from stdin', {
      conflicts: 'secretStdin',
    }),
    jsonWithSecret,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/change-webhooks.ts')).addWebhook(cli, args.url, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show a webhook',
  examples: ['svc webhooks show 0199', 'svc webhooks show 0199 --json'],
  args: { id: required(webhookId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/list-webhooks.ts')).showWebhook(cli, args.id, options),
});

const examplesOf = (verb: string) => [`svc webhooks ${verb} 0199`, `svc webhooks ${verb} 0199 019a`];

const rm = defineCommand({
  name: 'rm',
  summary: 'Remove webhooks and their delivery logs',
  examples: examplesOf('rm'),
  args: { id: several(webhookId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/change-webhooks.ts')).removeWebhooks(cli, args.id, options),
});

const pause = defineCommand({
  name: 'pause',
  summary: 'Pause webhooks; events while paused are not kept',
  examples: examplesOf('pause'),
  args: { id: several(webhookId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/change-webhooks.ts')).changeWebhooks(cli, args.id, { active: false }, options),
});

const enable = defineCommand({
  name: 'enable',
  summary: 'Enable paused or failing webhooks',
  examples: examplesOf('enable'),
  args: { id: several(webhookId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/change-webhooks.ts')).changeWebhooks(cli, args.id, { active: true }, options),
});

const rotate = defineCommand({
  name: 'rotate',
  summary: 'Rotate the secret of a webhook and print it once',
  examples: [
    'svc webhooks rotate 0199',
    'svc webhooks rotate 0199 --keep-hours 0',
    'svc webhooks rotate 0199 --secret-stdin < secret',
  ],
  args: { id: required(webhookId) },
  options: [
    option('--keep-hours <n>', 'Hours that the previous secret also signs (default: 24)', wholeNumber),
    secretFromStdin,
    jsonWithSecret,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/change-webhooks.ts')).rotateSecret(cli, args.id, options),
});

const deliveries = defineCommand({
  name: 'deliveries',
  summary: 'List deliveries of a webhook, newest first',
  examples: [
    'svc webhooks deliveries 0199',
    'svc webhooks deliveries 0199 --failed',
    'svc webhooks deliveries 0199 --json',
  ],
  args: { id: required(webhookId) },
  options: [
    flag('--failed', 'Show failed deliveries only'),
    option('-s, --status <status>', 'Filter by status', choice(choiceTable.webhooks.listDeliveries.status), {
      conflicts: 'failed',
    }),
    limit,
    json,
    quiet,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/webhook-deliveries.ts')).listDeliveries(cli, args.id, options),
});

const redeliver = defineCommand({
  name: 'redeliver',
  summary: 'Repeat a delivery with the same body',
  examples: ['svc webhooks redeliver 0199 019a', 'svc webhooks redeliver 0199 019a --json'],
  args: {
    webhook: required(webhookId),
    delivery: required(id('delivery', { within: { name: 'webhook', kind: 'webhook' } })),
  },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/webhook-deliveries.ts')).redeliver(cli, args.webhook, args.delivery, options),
});

const test = defineCommand({
  name: 'test',
  summary: 'Send a test event; fails unless it is delivered',
  examples: ['svc webhooks test 0199', 'svc webhooks test 0199 --json'],
  args: { id: required(webhookId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/webhook-deliveries.ts')).testWebhook(cli, args.id, options),
});

const inbound = defineCommand({
  name: 'inbound',
  summary: 'List inbound deliveries, or show one',
  examples: [
    'svc webhooks inbound --provider github',
    'svc webhooks inbound --status ignored',
    'svc webhooks inbound 0199 --payload',
  ],
  args: { id: optional(inboundId) },
  options: [
    option('--provider <name>', 'Filter by sender', vendor),
    option('-s, --status <status>', 'Filter by status', choice(choiceTable.inbound.list.status)),
    limit,
    offset,
    flag('--payload', 'With an ID: print the body as received'),
    json,
    quiet,
  ],
  run: async ({ cli, args, options }) => {
    const { listInbound, showInbound } = await import('./webhooks/inbound-deliveries.ts');
    await (args.id === undefined ? listInbound(cli, options) : showInbound(cli, args.id, options));
  },
});

const replay = defineCommand({
  name: 'replay',
  summary: 'Process an inbound delivery again',
  examples: ['svc webhooks replay 0199', 'svc webhooks replay 0199 --json'],
  args: { id: required(inboundId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./webhooks/inbound-deliveries.ts')).replayInbound(cli, args.id, options),
});

export const webhooks = defineNoun({
  name: 'webhooks',
  summary: 'Manage webhooks',
  examples: [
    'svc webhooks add https://example.com/hook -e task.completed -e task.failed',
    'svc webhooks deliveries 0199 --failed',
    'svc webhooks inbound --provider github',
  ],
  commands: [ls, add, show, rm, pause, enable, rotate, deliveries, redeliver, test, inbound, replay],
});
