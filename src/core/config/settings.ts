import { z } from 'zod';
import { define, type Mode, modeSchema, type SettingDefinition } from './define-setting.ts';
import { integrationSettings } from './integration-settings.ts';
import { memorySettings } from './memory-settings.ts';
import { providerSettings } from './provider-settings.ts';
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
    schema: modeSchema,
    default: 'mini',
    environment: 'SVC_MODE',
    description: 'pico for a very small machine, mini for everything else',
  }),
  'server.host': define({
    schema: z.string().min(1),
    default: '127.0.0.1',
    environment: 'SVC_HOST',
    description: 'The address to listen on; any but a loopback address needs an access key',
  }),
  'server.port': define({
    schema: count(0, 65_535),
    default: 4310,
    environment: 'SVC_PORT',
    description: 'The port to listen on; 0 takes a free one',
  }),
  'server.baseUrl': define({
    schema: z.url({ protocol: /^https?$/ }).optional(),
    default: undefined,
    environment: 'SVC_BASE_URL',
    description: 'The URL by which others reach the daemon, such as behind a reverse proxy',
  }),
  'server.trustedProxies': define({
    schema: z.array(cidrOrAddress).max(100),
    default: [],
    description: 'Proxies whose X-Forwarded-For is believed, as addresses or ranges',
  }),
  'system.authMode': define({
    schema: z.enum(['local', 'cloud']),
    default: 'local',
    description: 'local: the owner of this machine signs in with the access key; cloud: accounts only',
  }),
  'system.registrationMode': define({
    schema: z.enum(['invite', 'open']).optional(),
    default: undefined,
    live: true,
    description: 'Who may sign up: with an invite (from the second account on, unless set) or anybody',
  }),
  'limits.requestsPerMinute': define({
    schema: count(1, 1_000_000).optional(),
    default: undefined,
    live: true,
    description: 'Requests that a caller may make in a minute, where no other limit is stated',
  }),
  'gateway.requestsPerMinute': define({
    schema: count(1, 1_000_000),
    default: 60,
    environment: 'GATEWAY_RATE_LIMIT_RPM',
    live: true,
    description: 'Requests that an API token may submit to the gateway in a minute',
  }),
  'gateway.statusRequestsPerMinute': define({
    schema: count(1, 1_000_000),
    default: 600,
    live: true,
    description: 'Times that an API token may ask for the status of gateway requests in a minute',
  }),
  'gateway.requestsPerSecond': define({
    schema: count(1, 100_000),
    default: 10,
    live: true,
    description: 'Requests that an API token may submit to the gateway in a second',
  }),
  'metrics.public': define({
    schema: z.stringbool().or(z.boolean()),
    default: false,
    live: true,
    description: 'Whether programs on this machine may read /metrics without a token',
  }),
  'storage.synchronous': define({
    schema: z.enum(['FULL', 'NORMAL']),
    default: 'FULL',
    description: 'FULL survives a power cut; NORMAL is faster and may lose the last moment in one',
  }),
  'storage.cacheMiB': define({
    schema: count(1, 4096),
    default: (mode) => (mode === 'pico' ? 4 : 16),
    environment: 'SVC_STORAGE_CACHE_MIB',
    description: 'Memory for pages of the database',
  }),
  'queue.name': define({
    schema: z.string().min(1).max(100),
    default: 'ai-tasks',
    needsPro: true,
    description: 'The name of the task queue in mode pro, which does not exist yet',
  }),
  'queue.notificationName': define({
    schema: z.string().min(1).max(100),
    default: 'ai-task-notifications',
    needsPro: true,
    description: 'The name of the notification queue in mode pro, which does not exist yet',
  }),
  'queue.concurrency': define({
    schema: count(1, 1000),
    default: (mode) => (mode === 'pico' ? 2 : 10),
    environment: 'POOL_MAX_CONCURRENT',
    description: 'How many tasks run at the same time',
  }),
  'queue.notificationConcurrency': define({
    schema: count(1, 1000),
    default: 5,
    needsPro: true,
    description: 'How many notifications a worker of mode pro, which does not exist yet, delivers at once',
  }),
  'queue.redis.url': define({
    schema: z.url({ protocol: /^rediss?$/ }).optional(),
    default: undefined,
    environment: 'QUEUE_STORE_URL',
    needsPro: true,
    description: 'The store of the queue in mode pro, which does not exist yet',
  }),
  'queue.retry.attempts': define({
    schema: count(1, 20),
    default: 3,
    live: true,
    description: 'How often a task is tried, the first time included',
  }),
  'queue.retry.backoff': define({
    schema: count(0, 300_000),
    default: 1000,
    live: true,
    description: 'Milliseconds before the second attempt',
  }),
  'queue.retry.type': define({
    schema: z.enum(['exponential', 'fixed']),
    default: 'exponential',
    live: true,
    description: 'Whether the wait doubles with each attempt',
  }),
  'pool.timeoutMs': define({
    schema: count(100, 86_400_000),
    default: 1_800_000,
    environment: 'POOL_TIMEOUT_MS',
    live: true,
    description: 'Milliseconds after which a run is stopped',
  }),
  'agents.default': define({
    schema: z.string().max(100).optional(),
    default: undefined,
    live: true,
    description: 'The agent for tasks that name none',
  }),
  'agents.http.url': define({
    schema: z.url({ protocol: /^https?$/ }).optional(),
    default: undefined,
    live: true,
    description: 'Where the http agent posts its tasks',
  }),
  'agents.builtin.model': define({
    schema: z.string().trim().max(200).optional(),
    default: undefined,
    live: true,
    description: 'The model of the built-in agent, as provider/model; the default model unless set',
  }),
  'agents.builtin.maxSteps': define({
    schema: count(1, 1000),
    default: 100,
    live: true,
    description: 'Steps after which the built-in agent gives up a task',
  }),
  'agents.builtin.maxBudget': define({
    schema: count(1000, 1_000_000_000).optional(),
    default: undefined,
    live: true,
    description: 'Tokens that the built-in agent may use for one task',
  }),
  ...memorySettings,
  ...integrationSettings,
  ...webSearchSettings,
  ...webhookSettings,
  ...providerSettings,
  ...toolSettings,
  'outbound.allowPrivate': define({
    schema: z.array(cidr).max(100),
    default: [],
    environment: 'SVC_OUTBOUND_ALLOW_PRIVATE',
    live: true,
    description: 'Private address ranges that requests of the daemon may reach',
  }),
  'log.level': define({
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
    default: 'info',
    environment: 'SVC_LOG_LEVEL',
    description: 'The least serious lines that are logged',
  }),
} as const;

export type SettingKey = keyof typeof settings;
export type SettingValue<K extends SettingKey> = z.output<(typeof settings)[K]['schema']>;
export type SettingValues = { [K in SettingKey]: SettingValue<K> };

/** The settings that hold a secret. */
export type SecretKey = Extract<SettingKey, `${string}Secret` | `${string}.apiKey` | `${string}.token`>;

export const settingKeys = Object.keys(settings) as SettingKey[];

export const definitionOf = (key: SettingKey): SettingDefinition => settings[key];

export const environmentNameOf = (key: SettingKey): string =>
  definitionOf(key).environment ??
  `SVC_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;

export function defaultOf(key: SettingKey, mode: Mode): unknown {
  const { default: value } = definitionOf(key);
  return typeof value === 'function' ? (value as (mode: Mode) => unknown)(mode) : value;
}
