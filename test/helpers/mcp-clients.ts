import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Scope } from '../../src/contract/scopes.ts';
import type { TestDaemon } from './daemon.ts';

/** The revisions of the protocol that a client of the official SDK speaks: up to 2025-11-25, and 2026-07-28. */
export const eras = ['legacy', 'auto'] as const;

/** A connected client of the official SDK over streamable HTTP, signed in as the owner unless there are other headers. */
export async function openMcp(
  { url, headers }: Pick<TestDaemon, 'url' | 'headers'>,
  {
    era = 'auto',
    credential = headers,
    capabilities = {},
    prepare,
  }: {
    era?: (typeof eras)[number];
    credential?: Record<string, string>;
    capabilities?: ClientCapabilities;
    /** Is called before the client connects. */
    prepare?: (client: Client) => void;
  } = {},
): Promise<Client & AsyncDisposable> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era }, capabilities },
  );
  prepare?.(client);
  const requestInit = { headers: credential };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** The header of an API token of the owner with these scopes. */
export async function bearerOf({ app }: TestDaemon, scopes: Scope[]): Promise<{ authorization: string }> {
  const owner = { userId: 'user_owner', role: 'admin' as const };
  const { token } = await app.tokens.create(owner, { name: scopes.join(), scopes });
  return { authorization: `Bearer ${token}` };
}

/** The structured content of a result of a tool. */
export const contentOf = (result: { structuredContent?: unknown }): Record<string, unknown> =>
  result.structuredContent as Record<string, unknown>;

/** The text of a result of a tool. */
export const textOf = (result: { content?: unknown }): string =>
  (result.content as { text: string }[]).map(({ text }) => text).join('\n');
