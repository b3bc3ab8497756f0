import { type Command, Option } from 'commander';
import type { WebhookEvent } from '../../contract/webhooks.ts';
import type { Cli } from '../cli.ts';
import { oneOf, wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';
import { readVendor } from '../vendors.ts';
import type { AddOptions, RotateOptions } from '../webhooks/change-webhooks.ts';
import { eventMeanings, webhookEvents } from '../webhooks/event-meanings.ts';
import type { InboundOptions } from '../webhooks/inbound-deliveries.ts';
import type { DeliveriesOptions } from '../webhooks/webhook-deliveries.ts';

interface Options {
  json?: boolean;
}
interface ListOptions extends Options {
  quiet?: boolean;
}

const answers = ['--json', 'print the answer of the daemon'] as const;
const idsOnly = ['-q, --quiet', 'print the ids only'] as const;
const secretFromStdin = ['--secret-stdin', 'use this secret, typed unseen or piped in'] as const;
const idText = 'its id or the beginning of it';

const listing = () => import('../webhooks/list-webhooks.ts');
const changing = () => import('../webhooks/change-webhooks.ts');
const deliveries = () => import('../webhooks/webhook-deliveries.ts');
const inbound = () => import('../webhooks/inbound-deliveries.ts');

/** `svc webhooks`. */
export function fillWebhooks(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc webhooks add https://example.com/hook -e task.completed -e task.failed',
    'svc webhooks deliveries 0199 --failed',
    'svc webhooks inbound --provider github',
  ]);
  fillRegistered(command, cli);
  fillChanges(command, cli);
  fillDeliveries(command, cli);
  fillInbound(command, cli);
}

function fillRegistered(command: Command, cli: Cli): void {
  withExamples(command.command('ls').description('list the webhooks that are told of events'), [
    'svc webhooks ls',
    'svc webhooks ls --json',
    'svc webhooks ls --quiet',
  ])
    .option(...answers)
    .option(...idsOnly)
    .action(async (options: ListOptions) => (await listing()).listWebhooks(cli, options));
  const events = Object.entries(eventMeanings).map(([name, meaning]) => `  ${name.padEnd(15)} ${meaning}\n`);
  withExamples(command.command('add').description('tell a URL of events, and print its secret, once'), [
    'svc webhooks add https://example.com/hook -e task.completed -e task.failed',
    'svc webhooks add https://example.com/hook --all-events --description "Status board"',
    'svc webhooks add https://example.com/hook --all-events --secret-stdin < secret',
  ])
    .argument('<url>', 'where it is sent to')
    .addOption(
      new Option('-e, --event <event>', 'what it is told of; may be repeated').argParser(gatherEvent),
    )
    .option('--all-events', 'all of them')
    .option('--description <text>', 'what it is for')
    .option(...secretFromStdin)
    .option('--json', 'print the answer of the daemon, with the secret')
    .addHelpText('after', `\nEvents:\n${events.join('').trimEnd()}`)
    .action(async (url: string, options: AddOptions) => (await changing()).addWebhook(cli, url, options));
  withExamples(command.command('show').description('show a webhook'), [
    'svc webhooks show 0199',
    'svc webhooks show 0199 --json',
  ])
    .argument('<id>', idText)
    .option(...answers)
    .action(async (id: string, options: Options) => (await listing()).showWebhook(cli, id, options));
}

function fillChanges(command: Command, cli: Cli): void {
  const each = (verb: string, summary: string) =>
    withExamples(command.command(verb).description(summary), [
      `svc webhooks ${verb} 0199`,
      `svc webhooks ${verb} 0199 019a`,
    ])
      .argument('<id...>', 'ids or the beginnings of them')
      .option('--json', 'print the answers of the daemon');
  each('rm', 'remove webhooks and the log of what was sent to them').action(
    async (ids: string[], options: Options) => (await changing()).removeWebhooks(cli, ids, options),
  );
  each('pause', 'send them nothing for now; what happens meanwhile waits').action(
    async (ids: string[], options: Options) =>
      (await changing()).changeWebhooks(cli, ids, { active: false }, options),
  );
  each('enable', 'send again, also where sending was given up').action(
    async (ids: string[], options: Options) =>
      (await changing()).changeWebhooks(cli, ids, { active: true }, options),
  );
  withExamples(command.command('rotate').description('give it a new secret, and print that, once'), [
    'svc webhooks rotate 0199',
    'svc webhooks rotate 0199 --keep-hours 0',
    'svc webhooks rotate 0199 --secret-stdin < secret',
  ])
    .argument('<id>', idText)
    .option('--keep-hours <n>', 'how long the secret before signs too; 24 unless given', wholeNumber)
    .option(...secretFromStdin)
    .option('--json', 'print the answer of the daemon, with the secret')
    .action(async (id: string, options: RotateOptions) => (await changing()).rotateSecret(cli, id, options));
}

function fillDeliveries(command: Command, cli: Cli): void {
  withExamples(command.command('deliveries').description('list what was sent to a webhook, newest first'), [
    'svc webhooks deliveries 0199',
    'svc webhooks deliveries 0199 --failed',
    'svc webhooks deliveries 0199 --json',
  ])
    .argument('<id>', idText)
    .option('--failed', 'only what did not arrive')
    .addOption(
      new Option('-s, --status <status>', 'pending, delivered or failed')
        .argParser(oneOf(['pending', 'delivered', 'failed'] as const))
        .conflicts('failed'),
    )
    .option('--limit <n>', 'how many, at most 500', wholeNumber)
    .option(...answers)
    .option(...idsOnly)
    .action(async (id: string, options: DeliveriesOptions) =>
      (await deliveries()).listDeliveries(cli, id, options),
    );
  withExamples(command.command('redeliver').description('send a delivery again, the same bytes'), [
    'svc webhooks redeliver 0199 019a',
    'svc webhooks redeliver 0199 019a --json',
  ])
    .argument('<webhook>', 'the id of the webhook or the beginning of it')
    .argument('<delivery>', 'the id of the delivery or the beginning of it')
    .option(...answers)
    .action(async (id: string, delivery: string, options: Options) =>
      (await deliveries()).redeliver(cli, id, delivery, options),
    );
  withExamples(command.command('test').description('send a test event now; fails unless it arrives'), [
    'svc webhooks test 0199',
    'svc webhooks test 0199 --json',
  ])
    .argument('<id>', idText)
    .option(...answers)
    .action(async (id: string, options: Options) => (await deliveries()).testWebhook(cli, id, options));
}

function fillInbound(command: Command, cli: Cli): void {
  withExamples(
    command.command('inbound').description('list what GitHub, Jira and Linear sent, or show one delivery'),
    [
      'svc webhooks inbound --provider github',
      'svc webhooks inbound --status ignored',
      'svc webhooks inbound 0199 --payload',
    ],
  )
    .argument('[id]', idText)
    .option('--provider <name>', 'github, jira or linear', readVendor)
    .option(
      '-s, --status <status>',
      'accepted, ignored, duplicate or refused',
      oneOf(['accepted', 'ignored', 'duplicate', 'refused'] as const),
    )
    .option('--limit <n>', 'how many, at most 500', wholeNumber)
    .option('--offset <n>', 'how many to leave out', wholeNumber)
    .option('--payload', 'with an id: print the body as it came')
    .option(...answers)
    .option(...idsOnly)
    .action(async (id: string | undefined, options: InboundOptions) =>
      id === undefined
        ? (await inbound()).listInbound(cli, options)
        : (await inbound()).showInbound(cli, id, options),
    );
  withExamples(command.command('replay').description('look at a delivery again, as if it had just come'), [
    'svc webhooks replay 0199',
    'svc webhooks replay 0199 --json',
  ])
    .argument('<id>', 'the id of a delivery that came in, or the beginning of it')
    .option(...answers)
    .action(async (id: string, options: Options) => (await inbound()).replayInbound(cli, id, options));
}

const readEvent = oneOf(webhookEvents);
const gatherEvent = (text: string, earlier: WebhookEvent[] = []): WebhookEvent[] => [
  ...new Set([...earlier, readEvent(text)]),
];
