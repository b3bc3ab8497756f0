import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionCookie } from '../../../src/contract/locations.ts';
import type { WireName } from '../../../src/contract/vendors.ts';
import type { Flags } from '../../../src/core/config/config.ts';
import type { Log } from '../../../src/core/log.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { storedTexts } from '../../helpers/daemon-rows.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { refusalOf, signedInBrowser, TestBrowser } from '../../helpers/test-browser.ts';
import { startVendors, type VendorStub } from '../../helpers/vendor-stub.ts';

const binding = 'service_oauth';

let vendors: VendorStub;
let daemon: TestDaemon;
let clock: number;
let logged: string;

async function restart(flags: Flags = {}, home?: string): Promise<void> {
  await daemon?.stop();
  const runtime = { ...systemRuntime, now: () => new Date(clock) };
  const keep = (...line: unknown[]) => {
    logged += inspect(line, { depth: 10 });
  };
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  daemon = await startDaemon({
    runtime,
    log,
    ...(home !== undefined && { home }),
    flags: { ...vendors.flags, 'system.registrationMode': 'open', ...flags },
  });
}

beforeEach(async () => {
  if (!hasSharedFixtures) return;
  clock = Date.parse('2026-05-01T12:00:00.000Z');
  logged = '';
  vendors = await startVendors();
  await restart();
});
afterEach(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await vendors?.[Symbol.asyncDispose]();
});

const newBrowser = () => new TestBrowser(daemon.url);
const tokenRequests = async () => (await vendors.requests()).filter(({ path }) => path.includes('token'));
const changed = (url: string, change: Record<string, string | null>) => {
  const next = new URL(url);
  for (const [name, value] of Object.entries(change))
    if (value === null) next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  return next.href;
};

describe.skipIf(!hasSharedFixtures)('an OAuth callback', () => {
  /** What an attacker, or bad luck, makes of a good callback; the vendor must not hear of it. */
  const attacks: {
    name: string;
    status: number;
    make: (back: string, browser: TestBrowser) => Promise<string> | string;
  }[] = [
    { name: 'without a state', status: 400, make: (back) => changed(back, { state: null }) },
    { name: 'without a code', status: 400, make: (back) => changed(back, { code: null }) },
    { name: 'with a made-up state', status: 400, make: (back) => changed(back, { state: 'A'.repeat(43) }) },
    { name: 'with an empty state', status: 400, make: (back) => changed(back, { state: '' }) },
    { name: 'with two states', status: 400, make: (back) => `${back}&state=x` },
    {
      name: 'with the state of another provider',
      status: 400,
      make: (back) => back.replace('/codehost/', '/tracker_b/'),
    },
    {
      name: 'in another browser',
      status: 403,
      make: (back, browser) => {
        browser.setCookie(binding, undefined);
        return back;
      },
    },
    {
      name: 'in a browser with a flow of its own',
      status: 403,
      make: async (back, browser) => {
        await browser.leadsTo('/api/auth/codehost');
        return back;
      },
    },
    {
      name: 'with the state of another flow of the same browser',
      status: 403,
      make: async (back, browser) => {
        const mine = browser.cookie(binding);
        const state = new URL(await browser.leadsTo('/api/auth/codehost')).searchParams.get('state');
        browser.setCookie(binding, mine, '/api/auth');
        return changed(back, { state });
      },
    },
    {
      name: 'after ten minutes',
      status: 400,
      make: (back) => {
        clock += 10 * 60_000;
        return back;
      },
    },
    {
      name: 'of another sender',
      status: 403,
      make: (back) => changed(back, { iss: 'https://evil.example' }),
    },
  ];

  it.each(attacks)('rejects a callback $name without a request to the vendor', async ({ status, make }) => {
    const browser = newBrowser();
    const back = await make(await browser.agree('/api/auth/codehost'), browser);
    const response = await browser.open(back);
    expect(response.status).toBe(status);
    expect(browser.cookie(sessionCookie)).toBeUndefined();
    expect(await tokenRequests()).toEqual([]);
    expect(await response.text()).not.toContain(new URL(back).searchParams.get('code') ?? 'no code');
  });

  it('accepts a callback with the issuer, as GitHub sends it', async () => {
    const browser = newBrowser();
    const back = await browser.agree('/api/auth/codehost');
    const iss = `${vendors.url}/github/login/oauth`;
    expect((await browser.open(changed(back, { iss }))).status).toBe(302);
  });

  it('accepts a callback and its code once', async () => {
    const browser = newBrowser();
    const back = await browser.agree('/api/auth/codehost');
    const kept = browser.cookie(binding);
    expect((await browser.open(back)).status).toBe(302);
    browser.setCookie(binding, kept, '/api/auth');
    expect((await browser.open(back)).status).toBe(400);
    expect(await tokenRequests()).toHaveLength(1);
    const next = await browser.agree('/api/auth/codehost');
    const used = changed(next, { code: new URL(back).searchParams.get('code') });
    expect(await refusalOf(await browser.open(used))).toEqual([
      401,
      'GitHub did not take the code (bad_verification_code). Start again.',
    ]);
  });

  it('accepts one of many simultaneous callbacks', async () => {
    const browser = newBrowser();
    const back = await browser.agree('/api/auth/codehost');
    const kept = browser.cookie(binding);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(back, { redirect: 'manual', headers: { cookie: `${binding}=${kept}` } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 302)).toHaveLength(1);
    expect(await tokenRequests()).toHaveLength(1);
  });

  it.each<WireName>(['codehost', 'tracker_a', 'tracker_b'])(
    'a callback of %s reports that the user declined',
    async (provider) => {
      await vendors.configure({ deny: true });
      const { browser } = await signedInBrowser(daemon, 'ann');
      const response = await browser.open(await browser.agree(`/api/auth/${provider}`));
      const [status, error] = await refusalOf(response);
      expect([status, error]).toEqual([403, expect.stringMatching(/gave no access: it was declined$/)]);
      expect(browser.cookie(binding)).toBeUndefined();
      expect(await tokenRequests()).toEqual([]);
    },
  );

  it('a callback with an unknown error does not put its text into the answer', async () => {
    const browser = newBrowser();
    const state = new URL(await browser.leadsTo('/api/auth/codehost')).searchParams.get('state') ?? '';
    const query = new URLSearchParams({
      state,
      error: 'Call 555-1234!',
      error_description: 'Your account is locked',
    });
    expect(await refusalOf(await browser.open(`/api/auth/codehost/callback?${query.toString()}`))).toEqual([
      403,
      'GitHub gave no access (unknown error)',
    ]);
  });
});

describe.skipIf(!hasSharedFixtures)('the redirect after sign-in', () => {
  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'evil.example',
    '',
    '/\r\nSet-Cookie: service_session=x',
    '/\t/evil.example',
    '/\n/evil.example',
    '/a\\..\\\\evil.example',
    '/\u0000',
    '/\u0085',
    ` /x`,
  ])('does not redirect to %j', async (returnTo) => {
    const query = new URLSearchParams({ returnTo });
    for (const provider of ['codehost', 'tracker_a']) {
      const { browser } = await signedInBrowser(daemon, provider);
      expect((await browser.open(`/api/auth/${provider}?${query.toString()}`)).status).toBe(400);
    }
  });

  it.each([
    ['/', '/'],
    ['/tasks/1?tab=log#end', '/tasks/1?tab=log#end'],
    ['/%0d%0aSet-Cookie:%20a=b', '/%0d%0aSet-Cookie:%20a=b'],
    ['/..//evil.example', '/..//evil.example'],
    ['/Aufgaben/größte Zahl', '/Aufgaben/gr%C3%B6%C3%9Fte%20Zahl'],
    ['/日本\u2028語', '/%E6%97%A5%E6%9C%AC%E2%80%A8%E8%AA%9E'],
  ])('redirects to %j', async (returnTo, expected) => {
    const browser = newBrowser();
    const back = await browser.agree(`/api/auth/codehost?${new URLSearchParams({ returnTo }).toString()}`);
    const location = (await browser.open(back)).headers.get('location') ?? '';
    expect(location).toBe(expected);
    expect(new URL(location, daemon.url).origin).toBe(daemon.url);
  });
});

describe.skipIf(!hasSharedFixtures)('errors of an OAuth vendor', () => {
  const unset = { 'integrations.github.clientId': '', 'integrations.jira.clientSecret': '' };

  it('names a vendor that is not configured, with the next step', async () => {
    await restart(unset);
    expect(await refusalOf(await newBrowser().open('/api/auth/codehost'))).toEqual([
      501,
      'Sign-in with GitHub is not set up: svc config set integrations.github.clientId <value>',
    ]);
    const { browser } = await signedInBrowser(daemon, 'ann');
    expect(await refusalOf(await browser.open('/api/auth/tracker_a'))).toEqual([
      501,
      'Connecting Jira is not set up: svc config set integrations.jira.clientSecret <value>',
    ]);
  });

  it('reports a wrong client secret as an error of the server', async () => {
    await restart({ 'integrations.github.clientSecret': 'not-the-secret' });
    const browser = newBrowser();
    const [status, error] = await refusalOf(await browser.open(await browser.agree('/api/auth/codehost')));
    expect([status, error]).toEqual([
      500,
      expect.stringContaining('svc config set integrations.github.clientSecret'),
    ]);
    const [exchange] = await tokenRequests();
    expect(logged).toContain('request failed');
    for (const name of ['code', 'code_verifier', 'client_secret'])
      expect(logged).not.toContain(exchange?.body[name]);
  });

  it.each([
    ['cannot be reached', 'GONE', /GitHub does not answer: .* cannot be reached/],
    ['is where requests may not go', 'http://10.1.2.3/', /GitHub does not answer: .*outbound\.allowPrivate/],
    ['is somewhere else', 'STUB/elsewhere', /^GitHub answered 404 at its token URL$/],
    ['answers something else', 'STUB/__stub/config', /^GitHub gave an answer that is not OAuth$/],
  ])('reports a vendor that %s', async (_, url, text) => {
    const gone = await startVendors();
    await gone[Symbol.asyncDispose]();
    const tokenUrl = url.replace('GONE', gone.url).replace('STUB', vendors.url);
    await restart({ 'integrations.github.tokenUrl': tokenUrl });
    const browser = newBrowser();
    const [status, error] = await refusalOf(await browser.open(await browser.agree('/api/auth/codehost')));
    expect([status, error]).toEqual([503, expect.stringMatching(text)]);
  });

  it('does not sign in when the vendor rejects its own token', async () => {
    await vendors.configure({ expireTokens: true });
    const browser = newBrowser();
    const [status] = await refusalOf(await browser.open(await browser.agree('/api/auth/codehost')));
    expect(status).toBe(401);
    expect(browser.cookie(sessionCookie)).toBeUndefined();
  });
});

describe.skipIf(!hasSharedFixtures)('the browser binding', () => {
  it('hides the binding cookie from scripts and other sites, for as long as the flow', async () => {
    const response = await newBrowser().open('/api/auth/codehost');
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^service_oauth=[\w-]{43}; Max-Age=600; Path=\/api\/auth; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    await restart({ 'server.baseUrl': 'https://svc.example.org/' });
    const answer = await newBrowser().open('/api/auth/codehost');
    expect(answer.headers.getSetCookie()).toEqual([expect.stringContaining('; Secure')]);
    const target = new URL(answer.headers.get('location') ?? '');
    expect(target.searchParams.get('redirect_uri')).toBe(
      'https://svc.example.org/api/auth/codehost/callback',
    );
  });
});

describe.skipIf(!hasSharedFixtures)('OAuth secrets', () => {
  it('no answer, log or file contains OAuth secrets', async () => {
    const { browser } = await signedInBrowser(daemon, 'ann');
    const answers: string[] = [];
    const secrets = ['stub-secret'];
    for (const provider of ['codehost', 'tracker_a', 'tracker_b']) {
      const back = await browser.agree(`/api/auth/${provider}`);
      secrets.push(new URL(back).searchParams.get('code') ?? '');
      for (let times = 0; times < 2; times++) {
        const response = await browser.open(back);
        answers.push(JSON.stringify([...response.headers]) + (await response.text()));
      }
    }
    answers.push(await (await browser.open('/api/auth/me')).text());
    const requests = await vendors.requests();
    secrets.push(
      ...requests.flatMap(({ headers }) => headers['authorization']?.replace('Bearer ', '') ?? []),
      ...requests.flatMap(({ body }) => body['code_verifier'] ?? []),
    );
    const rows = await daemon.app.database.read.selectFrom('connections').selectAll().execute();
    expect(rows).toHaveLength(3);
    expect(new Set(secrets).size).toBe(10);
    await daemon.stop();
    const stored = await storedTexts(daemon);
    expect(stored.join('')).toContain('octocat');
    for (const secret of secrets)
      for (const text of [...stored, ...answers, logged]) expect(text.includes(secret)).toBe(false);
  });
});
