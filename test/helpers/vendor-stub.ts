import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Flags } from '../../src/core/config/config.ts';

const stub = new URL('../../../shared/tools/oauth-stub.mjs', import.meta.url);

export interface VendorRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: Record<string, string>;
}
export interface VendorStub extends AsyncDisposable {
  url: string;
  /** Settings with which a daemon takes this for the three vendors. */
  flags: Flags;
  /** Changes how the vendors behave. */
  configure(change: Record<string, unknown>): Promise<void>;
  /** Forgets every code and token, and how the vendors should behave. */
  reset(): Promise<void>;
  /** What arrived, in its order. */
  requests(path?: string): Promise<VendorRequest[]>;
  /** What was revoked. */
  revoked(): Promise<{ v: string; how?: string }[]>;
}

/** GitHub, Atlassian and Linear on a free port. */
export async function startVendors(): Promise<VendorStub> {
  const { createOAuthStub } = (await import(stub.href)) as {
    createOAuthStub: () => { server: Server; client: { id: string; secret: string } };
  };
  const { server, client } = createOAuthStub();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const log = async () =>
    (await (await fetch(`${url}/__stub/log`)).json()) as {
      log: VendorRequest[];
      revoked: { v: string; how?: string }[];
    };
  return {
    url,
    flags: {
      'outbound.allowPrivate': ['127.0.0.0/8', '::1/128'],
      'integrations.github.clientId': client.id,
      'integrations.github.clientSecret': client.secret,
      'integrations.github.authorizeUrl': `${url}/github/login/oauth/authorize`,
      'integrations.github.tokenUrl': `${url}/github/login/oauth/access_token`,
      'integrations.github.apiUrl': `${url}/github/api`,
      'integrations.jira.clientId': client.id,
      'integrations.jira.clientSecret': client.secret,
      'integrations.jira.authorizeUrl': `${url}/atlassian/authorize`,
      'integrations.jira.tokenUrl': `${url}/atlassian/oauth/token`,
      'integrations.jira.apiUrl': `${url}/atlassian`,
      'integrations.linear.clientId': client.id,
      'integrations.linear.clientSecret': client.secret,
      'integrations.linear.authorizeUrl': `${url}/linear/oauth/authorize`,
      'integrations.linear.tokenUrl': `${url}/linear/oauth/token`,
      'integrations.linear.apiUrl': `${url}/linear`,
    },
    async configure(change) {
      await fetch(`${url}/__stub/config`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(change),
      });
    },
    async reset() {
      await fetch(`${url}/__stub/reset`, { method: 'POST' });
    },
    requests: async (path) => (await log()).log.filter((request) => !path || request.path === path),
    revoked: async () => (await log()).revoked,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
