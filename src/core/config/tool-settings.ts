import { resolve } from 'node:path';
import { z } from 'zod';
import { parseDuration } from '../../contract/duration.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import { define } from './define-setting.ts';
import { parseJsonText } from './parse-json-text.ts';
import { mask } from './secret-parts.ts';

const MAX_SERVERS = 50;
/** As a client sent it back, or as it is stored. */
const covered = z.union([z.literal(mask), z.string().startsWith('sealed:v1:').max(16_000)]);
const argument = z
  .string()
  .max(8000)
  .regex(/^[^\0]*$/, 'A NUL character cannot be passed on');
const wrong = (what: string) => ({ error: `Expected ${what}` });

const common = {
  enabled: z.boolean().default(true),
  /** As the server calls them. */
  readOnlyTools: z.array(z.string().min(1).max(200)).max(200).default([]),
  /** Directories besides the workspace that calls may name. */
  roots: z
    .array(
      argument
        .startsWith('/', 'Expected an absolute path')
        .refine((path) => resolve(path) !== '/', 'Expected a directory below /'),
    )
    .max(20)
    .default([]),
};
const stdioServer = z.strictObject({
  command: argument.min(1),
  args: z.array(argument).max(100).default([]),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_]\w{0,199}$/),
      z.union([covered, argument], wrong('a text of at most 8000 characters')),
      wrong('an object of texts by the names of variables'),
    )
    .default({}),
  cwd: argument.startsWith('/', 'Expected an absolute path').optional(),
  ...common,
});
const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'Expected an HTTP URL' }).max(2000),
  headers: z
    .record(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,200}$/),
      // Anything else cannot be a header; the error of it would hold the secret.
      z.union(
        [
          covered,
          z
            .string()
            .max(8000)
            .regex(/^[\t\x20-\x7e]*$/),
        ],
        wrong('text in ASCII on one line'),
      ),
      wrong('an object of texts by the names of headers'),
    )
    .default({}),
  ...common,
});
export type StdioServerSettings = z.output<typeof stdioServer>;
export type HttpServerSettings = z.output<typeof httpServer>;
export type McpServerSettings = StdioServerSettings | HttpServerSettings;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Checked as what it means to be: a union would only say that it is neither. */
const server = z.unknown().transform((value, context): McpServerSettings => {
  const parsed = safeParse(isObject(value) && 'url' in value ? httpServer : stdioServer, value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message });
  return z.NEVER;
});

const mcpServers = z.preprocess(
  parseJsonText,
  z
    .record(z.string().regex(/^[a-z0-9-]{1,40}$/), server, {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'The name of a server has lower-case letters, digits and dashes, at most 40'
          : 'Expected a JSON object of MCP servers by name',
    })
    .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `At most ${MAX_SERVERS} servers`),
);

/** Which program is run, or which origin is asked. */
function destination(value: unknown): string {
  const { command, args, cwd, url } = isObject(value) ? value : {};
  return JSON.stringify([command, args ?? [], cwd, typeof url === 'string' ? URL.parse(url)?.origin : url]);
}

const MAX_WAIT_MS = 90 * 86_400_000;
/** Text that is no duration is left to the schema, which refuses it. */
const toMilliseconds = (value: unknown) => (typeof value === 'string' ? parseDurationText(value) : value);
const parseDurationText = (text: string) => (/[a-z]$/.test(text) ? (parseDuration(text) ?? text) : text);

export const toolSettings = {
  'tools.mcpServers': define({
    schema: () => mcpServers,
    default: {},
    live: true,
    secretParts: { names: ['env', 'headers'], destination },
    description:
      'MCP servers by name: { command, args, env, cwd } or { url, headers }, plus enabled, readOnlyTools and roots',
  }),
  'approvals.expireAfter': define({
    schema: () => z.preprocess(toMilliseconds, z.int().min(1000).max(MAX_WAIT_MS).optional()),
    default: undefined,
    live: true,
    description:
      'How long a call waits for your decision, in milliseconds or as text such as 36h; unless set 24 hours in a task, 10 minutes in a chat',
  }),
  'approvals.requireSignature': define({
    schema: () => z.enum(['never', 'high-danger', 'always']),
    default: 'never',
    live: true,
    description:
      'Which calls only a decision signed by a registered key can allow: none, those with high risk, or all; a denial never needs one',
  }),
  'tools.callsPerMinute': define({
    schema: () => z.int().min(1).max(100_000),
    default: 120,
    live: true,
    description: 'Tool calls per minute and user',
  }),
  'tools.unsandboxed': define({
    schema: () => z.enum(['ask', 'allow']),
    default: 'ask',
    live: true,
    description:
      'Without a sandbox, whether commands in the mode full ask for an approval or run; work of administrators only',
  }),
};
