import { describe, expect, it } from 'vitest';
import { Config } from '../../../src/core/config/config.ts';
import { AppError } from '../../../src/core/errors.ts';
import { HookCheck, type HookCheckDeps } from '../../../src/core/integrations/hook-check.ts';
import type { OutboundFetch } from '../../../src/core/outbound/outbound-fetch.ts';

const connection = {
  provider: 'github' as const,
  accountId: '1',
  account: {},
  scopes: ['repo'],
  expiresAt: undefined,
};
const hooks = JSON.stringify([
  { active: true, config: { url: 'https://svc.example.com/api/webhooks/codehost' } },
]);
const ok = { status: 200, headers: new Headers(), text: hooks };

function checkWith(parts: Partial<HookCheckDeps>, rules: object = { 'octo/web': {} }): HookCheck {
  const config = new Config({
    env: {},
    settingsFile: '/nowhere/settings.json',
    flags: { 'server.baseUrl': 'https://svc.example.com', 'webhooks.github.rules': rules as never },
  });
  return new HookCheck({
    config,
    connections: { accessToken: async () => 'token' },
    fetch: async () => ok,
    runtime: { monotonic: () => 0 },
    ...parts,
  });
}

describe('HookCheck', () => {
  it('finds the webhook of one repository when others fail', async () => {
    const fetch: OutboundFetch = async (url) => {
      if (url.includes('/octo/web/')) return ok;
      if (url.includes('/octo/gone/')) return { ...ok, status: 404 };
      throw new AppError('unavailable', 'down');
    };
    expect(await checkWith({ fetch }, { 'octo/down': {}, 'octo/gone': {} }).isSeen('a', connection)).toBe(
      false,
    );
    const rules = { 'octo/down': {}, 'octo/gone': {}, 'octo/web': {} };
    expect(await checkWith({ fetch }, rules).isSeen('a', connection)).toBe(true);
  });

  it('finds no webhook without a token', async () => {
    const accessToken = () => Promise.reject(new AppError('wrong_state', 'GitHub must be connected again'));
    expect(await checkWith({ connections: { accessToken } }).isSeen('a', connection)).toBe(false);
  });

  it('rethrows an unexpected error', async () => {
    const fetch = () => Promise.reject(new TypeError('a bug'));
    await expect(checkWith({ fetch }).isSeen('a', connection)).rejects.toThrow('a bug');
  });

  it.each([
    ['the hooks', { fetch: (_url, { signal }) => untilAborted(signal) } satisfies Partial<HookCheckDeps>],
    ['the token', { connections: { accessToken: () => new Promise<string>(() => undefined) } }],
  ])('times out when there is no answer for %s', async (_, parts: Partial<HookCheckDeps>) => {
    expect(await checkWith(parts).isSeen('a', connection)).toBe(false);
  });
});

/** What never comes, unless nobody wants it any more. */
const untilAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
