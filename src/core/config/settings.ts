import { z } from 'zod';
import { currentKey, earlierKey } from '../../contract/setting-keys.ts';
import { budgetSchema } from '../../contract/budgets.ts';
import { parseJsonText } from './parse-json-text.ts';
import { agentSettings } from './agent-settings.ts';
import { backupSettings } from './backup-settings.ts';
import { daemonSettings } from './daemon-settings.ts';
import { define, type Mode, modeSchema, type SettingDefinition } from './define-setting.ts';
import { integrationSettings } from './integration-settings.ts';
import { memorySettings } from './memory-settings.ts';
import { providerSettings } from './provider-settings.ts';
import { queueSettings } from './queue-settings.ts';
import { retentionSettings } from './retention-settings.ts';
import { storageSettings } from './storage-settings.ts';
import { toolSettings } from './tool-settings.ts';
import { webSearchSettings } from './web-search-settings.ts';
import { webhookSettings } from './webhook-settings.ts';

const count = (min: number, max: number) => z.int().min(min).max(max);
const cidrOrAddress = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
  error: 'Expected an address or a CIDR such as 10.0.0.0/8',
});
const cidr = z.union([z.cidrv4(), z.cidrv6()], { error: 'Expected a CIDR such as 10.0.0.0/8' });

/** Every setting once: its shape, its default, the variable that sets it, and what it is for. */
export const settings = {
  mode: define({
    schema: () => modeSchema,
    default: 'mini',
    environment: 'SVC_MODE',
    scope: 'daemon',
    description:
      'pico for a very small machine, mini for one machine, pro for several daemons on PostgreSQL and Redis',
  }),
  'server.host': define({
    schema: () => z.string().min(1),
    default: '127.0.0.1',
    environment: 'SVC_HOST',
    scope: 'daemon',
    description: 'The address to listen on; other than loopback requires an access key',
  }),
  'server.port': define({
    schema: () => count(0, 65_535),
    default: 4310,
    environment: 'SVC_PORT',
    scope: 'daemon',
    description: 'The port to listen on; 0 picks a free one',
  }),
  'server.baseUrl': define({
    schema: () =>
      z.url({ protocol: /^https?$/, error: 'Expected a URL such as https://svc.example.com' }).optional(),
    default: undefined,
    environment: 'SVC_BASE_URL',
    scope: 'daemon',
    description: 'The public URL of the daemon, for example behind a reverse proxy',
  }),
  'server.trustedProxies': define({
    schema: () => z.array(cidrOrAddress).max(100),
    default: [],
    scope: 'daemon',
    description: 'Addresses or ranges of proxies whose X-Forwarded-For is trusted',
  }),
  'server.maxConnections': define({
    schema: () => count(16, 100_000),
    default: 1024,
    scope: 'daemon',
    description: 'Connections at the same time; the longest idle one gives way to a new one',
  }),
  'server.maxConnectionsPerAddress': define({
    schema: () => count(1, 100_000),
    default: 128,
    scope: 'daemon',
    description:
      'Connections of one address that is not of this machine, or requests at once of a client of a trusted proxy',
  }),
  'system.authMode': define({
    schema: () => z.enum(['local', 'cloud']),
    default: 'local',
    description: "local: the machine's owner signs in with the access key; cloud: accounts only",
  }),
  'system.registrationMode': define({
    schema: () => z.enum(['invite', 'open']).optional(),
    default: undefined,
    live: true,
    description: 'Who may sign up: open or invite; invite from the second account on unless set',
  }),
  'limits.requestsPerMinute': define({
    schema: () => count(1, 1_000_000).optional(),
    default: undefined,
    live: true,
    description: 'Requests per minute and caller, where no other limit applies',
  }),
  'limits.tokensPerDay': define({
    schema: () => count(1000, 1_000_000_000_000).optional(),
    default: undefined,
    live: true,
    description: 'How many tokens models may use on a day in all (UTC)',
  }),
  'limits.costPerDay': define({
    schema: () => z.number().positive().optional(),
    default: undefined,
    live: true,
    description: 'How many USD models may cost on a day in all (UTC)',
  }),
  budgets: define({
    schema: () => z.preprocess(parseJsonText, z.array(budgetSchema).max(100, 'At most 100 budgets')),
    default: [],
    live: true,
    description:
      'Budgets of models, as a JSON list: { scope, match, period, tokens, usd, onReached }; scope: all, task, agent, token, user or repository; period: run, day or month (UTC); onReached: stop or ask',
  }),
  'usage.tasksDays': define({
    schema: () =>
      z
        .int()
        .min(0)
        .max(36_500)
        .refine((days) => days === 0 || days >= 31, 'At least 31 days, or 0'),
    default: 90,
    live: true,
    description:
      'Days for which usage is kept by task and conversation, at least 31; older usage is added up over all of them. 0 keeps all',
  }),
  'limits.streamsPerUser': define({
    schema: () => count(1, 10_000),
    default: 32,
    live: true,
    description:
      'Streams of task events, live connections and streamed answers that a user may have open at once',
  }),
  'gateway.requestsPerMinute': define({
    schema: () => count(1, 1_000_000),
    default: 60,
    environment: 'GATEWAY_RATE_LIMIT_RPM',
    live: true,
    description: 'Gateway submissions per minute and API token',
  }),
  'gateway.statusRequestsPerMinute': define({
    schema: () => count(1, 1_000_000),
    default: 600,
    live: true,
    description: 'Gateway status requests per minute and API token',
  }),
  'gateway.requestsPerSecond': define({
    schema: () => count(1, 100_000),
    default: 10,
    live: true,
    description: 'Gateway submissions per second and API token',
  }),
  'a2a.enabled': define({
    schema: () => z.stringbool().or(z.boolean()),
    default: false,
    live: true,
    description: 'Serve other agents at /a2a, with a public agent card (A2A)',
  }),
  'metrics.public': define({
    schema: () => z.stringbool().or(z.boolean()),
    default: false,
    live: true,
    description: 'Serve /metrics to programs on this machine without a token',
  }),
  ...storageSettings,
  ...daemonSettings,
  ...queueSettings,
  'pool.timeoutMs': define({
    schema: () => count(100, 86_400_000),
    default: 1_800_000,
    environment: 'POOL_TIMEOUT_MS',
    live: true,
    description: 'Maximum duration of a run, in milliseconds',
  }),
  ...agentSettings,
  ...memorySettings,
  ...integrationSettings,
  ...webSearchSettings,
  ...webhookSettings,
  ...providerSettings,
  ...toolSettings,
  ...retentionSettings,
  ...backupSettings,
  'outbound.allowPrivate': define({
    schema: () => z.array(cidr).max(100),
    default: [],
    environment: 'SVC_OUTBOUND_ALLOW_PRIVATE',
    live: true,
    description: 'Private address ranges that outbound requests may reach',
  }),
  'log.level': define({
    schema: () => z.enum(['debug', 'info', 'warn', 'error', 'silent']),
    default: 'info',
    environment: 'SVC_LOG_LEVEL',
    scope: 'daemon',
    description: 'The lowest level that is logged',
  }),
  'log.maxMiB': define({
    schema: () => count(1, 10_240),
    default: 10,
    scope: 'daemon',
    description: 'Size at which the log of a background daemon is rotated; three older files are kept',
  }),
} as const;

export type SettingKey = keyof typeof settings;
export type SettingValue<K extends SettingKey> = z.output<(typeof settings)[K]['schema']>;
export type SettingValues = { [K in SettingKey]: SettingValue<K> };

/** The settings that hold a secret. */
export type SecretKey = Extract<SettingKey, `${string}Secret` | `${string}.apiKey` | `${string}.token`>;

export const settingKeys = Object.keys(settings) as SettingKey[];

export const definitionOf = (key: SettingKey): SettingDefinition => settings[key];

/** Whether the value of a setting is a secret or has secrets in it. */
export function holdsSecret(key: SettingKey): boolean {
  const { secret, secretParts, hasPassword } = definitionOf(key);
  return (secret ?? secretParts ?? hasPassword) !== undefined;
}

/** The setting that a key means, as it is now or as earlier versions spelled it. */
export function findSetting(key: string): SettingKey | undefined {
  const current = currentKey(key);
  return settingKeys.find((known) => known === current);
}

/** The setting of entries by name, and the entry of it, that a key such as `routes.fast` means. */
export function findEntry(name: string): { key: SettingKey; entry: string } | undefined {
  const key = settingKeys.find((known) => name.startsWith(`${known}.`) && hasEntries(known));
  return key && { key, entry: name.slice(key.length + 1) };
}

/** Entries with secrets in them are changed in whole, so that a mask always stands for the secret that it hides. */
function hasEntries(key: SettingKey): boolean {
  const { default: usual } = definitionOf(key);
  return typeof usual === 'object' && usual !== null && !Array.isArray(usual) && !holdsSecret(key);
}

/** The spellings under which a settings file may hold a setting; the first that it has counts. */
export const spellingsOf = (key: SettingKey): string[] => [...new Set([key, earlierKey(key)])];

/** The environment variables that set a setting; the first that is there counts. */
export function environmentNamesOf(key: SettingKey): string[] {
  const { environment } = definitionOf(key);
  return environment === undefined ? spellingsOf(key).map(variableFor) : [environment];
}

export const environmentNameOf = (key: SettingKey): string =>
  definitionOf(key).environment ?? variableFor(key);

const variableFor = (key: string) =>
  `SVC_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;

export function defaultOf(key: SettingKey, mode: Mode): unknown {
  const { default: value } = definitionOf(key);
  return typeof value === 'function' ? (value as (mode: Mode) => unknown)(mode) : value;
}
