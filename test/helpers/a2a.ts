import { ClientFactory, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import {
  type Client as LegacyClient,
  ClientFactory as LegacyFactory,
  JsonRpcTransportFactory as LegacyTransport,
} from 'a2a-sdk-0.3/client';
import { Role, type SendMessageConfiguration, type SendMessageRequest } from '@a2a-js/sdk';
import type { Scope } from '../../src/contract/scopes.ts';
import type { Caller } from '../../src/core/auth/caller.ts';
import { owner } from '../../src/core/auth/owner.ts';
import type { Flags } from '../../src/core/config/config.ts';
import type { TestDaemon } from './daemon.ts';
import { manyRequests } from './gateway.ts';

/** A daemon that other agents may call, as often as a test wants. */
export const a2aFlags: Flags = {
  ...manyRequests,
  'gateway.statusRequestsPerMinute': 1_000_000,
  'a2a.enabled': true,
};

/** An API token with its id, its notifySecret and the header that carries it. */
export async function tokenOf(
  { app }: TestDaemon,
  scopes: Scope[] = ['tasks:write', 'gateway:write'],
  caller: Caller = owner,
) {
  const { id, token, notifySecret = '' } = await app.tokens.create(caller, { name: 'agent', scopes });
  return { id, notifySecret, headers: { authorization: `Bearer ${token}` } };
}

/** A client of the official SDK that finds the daemon by its agent card. */
export async function a2aClient(
  { url }: TestDaemon,
  { headers }: { headers: Record<string, string> },
): Promise<Client> {
  const fetchImpl = fetchWith(headers);
  const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })] });
  return factory.createFromUrl(url);
}

/** The same of the SDK for version 0.3, which knows nothing of a later one. */
export async function legacyClient(
  { url }: TestDaemon,
  { headers }: { headers: Record<string, string> },
): Promise<LegacyClient> {
  const fetchImpl = fetchWith(headers);
  const factory = new LegacyFactory({ transports: [new LegacyTransport({ fetchImpl })] });
  return factory.createFromUrl(url);
}

const fetchWith =
  (headers: Record<string, string>): typeof fetch =>
  (input, init) => {
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return fetch(input, { ...init, headers: all });
  };

export interface RawAnswer {
  status: number;
  body: {
    id?: unknown;
    result?: Record<string, unknown>;
    error?: { code: number; message: string; data?: { reason?: string }[] };
  };
}

/** Calls a method as plain JSON. */
export async function callRaw(
  { url }: Pick<TestDaemon, 'url'>,
  headers: Record<string, string>,
  method: string,
  params?: unknown,
): Promise<RawAnswer> {
  return postRaw({ url }, headers, JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
}

/** Posts any body. */
export async function postRaw(
  { url }: Pick<TestDaemon, 'url'>,
  headers: Record<string, string>,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<RawAnswer> {
  const response = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as RawAnswer['body'] };
}

/** Everything that a stream of a client has, once it has ended. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** A message for the client of the SDK. */
export const messageOf = (
  text: string,
  {
    metadata,
    contextId = '',
    ...configuration
  }: { metadata?: Record<string, unknown>; contextId?: string } & Partial<SendMessageConfiguration> = {},
): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: crypto.randomUUID(),
    contextId,
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
    metadata,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: false,
    ...configuration,
  },
  metadata: undefined,
});
