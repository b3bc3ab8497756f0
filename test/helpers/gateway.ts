import { createTokenSchema } from '../../src/contract/tokens.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import type { GatewayAccepted, GatewayFinished, GatewayStatus } from '../../src/contract/gateway.ts';
import type { Caller } from '../../src/core/auth/caller.ts';
import { owner } from '../../src/core/auth/owner.ts';
import type { Flags } from '../../src/core/config/config.ts';
import type { TestDaemon } from './daemon.ts';
import { until } from './tasks.ts';

/** For tests that ask more often than a token may. */
export const manyRequests: Flags = {
  'gateway.requestsPerMinute': 1_000_000,
  'gateway.requestsPerSecond': 100_000,
};

type GatewayBody = Partial<GatewayAccepted & GatewayFinished> & {
  error?: unknown;
  details?: { path: string; message: string }[];
};
export interface GatewayAnswer {
  status: number;
  replay: string | null;
  body: GatewayBody;
}

/** A program that uses the gateway with a token of its own. */
export async function gatewayClient(
  { app, url }: TestDaemon,
  { caller = owner, scopes = ['gateway:write'] as Scope[] }: { caller?: Caller; scopes?: Scope[] } = {},
) {
  const { id, token } = await app.tokens.create(caller, createTokenSchema.parse({ name: 'test', scopes }));
  const headers = { authorization: `Bearer ${token}` };
  const status = async (requestId: string): Promise<GatewayStatus & { httpStatus: number }> => {
    const response = await fetch(`${url}/api/gateway/${requestId}/status`, { headers });
    return { ...((await response.json()) as GatewayStatus), httpStatus: response.status };
  };
  return {
    tokenId: id,
    token,
    headers,
    status,
    async submit(
      body: object,
      more: { key?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
    ): Promise<GatewayAnswer> {
      const response = await fetch(`${url}/api/gateway`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          ...(more.key !== undefined && { 'idempotency-key': more.key }),
          ...more.headers,
        },
        body: JSON.stringify(body),
        ...(more.signal && { signal: more.signal }),
      });
      return {
        status: response.status,
        replay: response.headers.get('idempotent-replay'),
        body: (await response.json()) as GatewayBody,
      };
    },
    /** The status once the task has ended. */
    ended: (requestId: string) =>
      until(async () => {
        const now = await status(requestId);
        if (now.progress !== 1) throw new Error(`The task is ${now.status}`);
        return now;
      }),
  };
}
