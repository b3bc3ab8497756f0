import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemCookie } from '../../../src/contract/locations.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { TestBrowser } from '../../helpers/test-browser.ts';
import { startVendors, type VendorStub } from '../../helpers/vendor-stub.ts';

const person = { headers: { accept: 'text/html,*/*;q=0.8' } };

describe.skipIf(!hasSharedFixtures)('a sign-in with GitHub that is refused', () => {
  let vendors: VendorStub;
  let daemon: TestDaemon;
  beforeAll(async () => {
    vendors = await startVendors();
    daemon = await startDaemon({ flags: { ...vendors.flags, 'system.registrationMode': 'invite' } });
  });
  afterAll(async () => {
    await daemon?.[Symbol.asyncDispose]();
    await vendors?.[Symbol.asyncDispose]();
  });

  it('leads a person to the sign-in page, which learns why', async () => {
    const browser = new TestBrowser(daemon.url);
    const response = await browser.open(await browser.agree('/api/auth/codehost'), person);
    expect([response.status, response.headers.get('location')]).toEqual([302, '/sign-in']);
    expect(decodeURIComponent(browser.cookie(problemCookie) ?? '')).toMatch(/^An invite is required/);
    const line = response.headers.getSetCookie().find((each) => each.startsWith(problemCookie));
    expect(line).toContain('Max-Age=60');
    expect(browser.cookie('service_session')).toBeUndefined();
  });

  it('answers a program with the error', async () => {
    const browser = new TestBrowser(daemon.url);
    const response = await browser.open(await browser.agree('/api/auth/codehost'));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^An invite is required/) });
  });

  it('never writes a sentence of the vendor or of a link into the address', async () => {
    const browser = new TestBrowser(daemon.url);
    const query = 'error=access_denied&error_description=Call%20555%20now&state=made-up';
    const response = await browser.open(`/api/auth/codehost/callback?${query}`, person);
    expect(response.headers.get('location')).toBe('/sign-in');
    expect(browser.cookie(problemCookie)).not.toContain('555');
  });

  it('is offered where its client is set up', async () => {
    expect((await send(daemon, 'GET', '/api/auth/me')).body).toMatchObject({
      githubSignIn: true,
      signUp: 'invite',
    });
    await using plain = await startDaemon();
    expect((await send(plain, 'GET', '/api/auth/me')).body).toMatchObject({ githubSignIn: false });
  });
});
