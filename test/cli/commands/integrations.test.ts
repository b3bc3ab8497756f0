import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionCookie } from '../../../src/contract/locations.ts';
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../helpers/daemon.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { signedInBrowser, TestBrowser } from '../../helpers/test-browser.ts';
import { addUser } from '../../helpers/users.ts';
import { startVendors, type VendorStub } from '../../helpers/vendor-stub.ts';
import { ensureBuilt, hasTerminals, outcomeOf, said, SvcHome } from '../svc-binary.ts';

let home: SvcHome;
let daemon: TestDaemon;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  return () => home[Symbol.asyncDispose]();
});

async function start(flags: TestDaemonOptions['flags'] = {}): Promise<void> {
  await daemon?.[Symbol.asyncDispose]();
  daemon = await startDaemon({ flags });
}
beforeEach(() => start());
afterEach(() => daemon[Symbol.asyncDispose]());

/** The environment of the owner of the daemon. */
const env = () => ({ SVC_HOME: daemon.home, SVC_PORT: new URL(daemon.url).port });
const svc = (...args: string[]) => home.svc(['integrations', ...args], { env: env() });

describe('svc integrations ls', () => {
  it('names the missing settings of an integration and the next command', async () => {
    const { code, stdout, stderr } = await svc('ls');
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'NAME        CONNECTED  WEBHOOKS   LAST EVENT',
      'GitHub      no         no secret  never',
      'Jira        no         no secret  never',
      'Linear      no         no secret  never',
      'Web search  no',
      '',
    ]);
    expect(stderr.split('\n').slice(0, 7)).toEqual([
      '',
      'Next:',
      '  GitHub      svc config set integrations.github.clientId ID',
      '              svc config set integrations.github.clientSecret',
      '              svc integrations connect github',
      '              svc config set webhooks.github.signingSecret',
      '  Jira        svc config set integrations.jira.clientId ID',
    ]);
    expect(stderr).toMatch(/\n {2}Web search {2}Web search is not configured: svc config set/);
  });

  it('asks for a webhook once there is a secret, and stops once one arrived', async () => {
    await start({ 'webhooks.jira.signingSecret': 'planted' });
    expect((await svc('ls')).stderr).toContain(
      '  svc config set server.baseUrl URL (where Jira reaches the daemon)\n',
    );
    await start({
      'webhooks.jira.signingSecret': 'planted',
      'server.baseUrl': 'https://svc.example.com/',
    });
    const first = await svc('ls');
    expect(first.stdout).toMatch(/\nJira +no +none yet +never\n/);
    expect(first.stderr).toContain(
      'create a webhook there that sends to https://svc.example.com/api/webhooks/tracker_a\n',
    );
    const at = new Date(Date.now() - 180_000).toISOString();
    await daemon.app.database.write(({ db }) =>
      db
        .insertInto('inbound_deliveries')
        .values({
          id: 'inb_1',
          provider: 'tracker_a',
          delivery_id: '1',
          body_hash: '1',
          event: 'jira:issue_updated',
          status: 'ignored',
          copies: 1,
          bytes: 2,
          received_at: at,
          last_received_at: at,
        } as never)
        .execute(),
    );
    const second = await svc('ls');
    expect(second.stdout).toMatch(/\nJira +no +configured +3 min ago\n/);
    expect(second.stderr).not.toContain('create a webhook');
  });

  it('prints all answers about integrations as one object', async () => {
    const { integrations } = daemon.client;
    expect(JSON.parse((await svc('ls', '--json')).stdout)).toEqual({
      codehost: await integrations.getGithub(),
      tracker_a: await integrations.getJira(),
      tracker_b: await integrations.getLinear(),
      webhooks: await integrations.getWebhooksStatus(),
      webSearch: await integrations.getWebSearch(),
    });
  });

  it('hides integration settings from non-administrators', async () => {
    const { headers } = await addUser(daemon, 'ann');
    const session = headers.cookie.split('=')[1] ?? '';
    const { code, stderr } = await home.svc(['integrations', 'ls'], {
      env: { SVC_TOKEN: session, SVC_URL: daemon.url },
    });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('  GitHub      svc integrations connect github\n');
    expect(stderr).not.toMatch(/clientId|signingSecret/);
  });
});

it.each(['github', 'codehost'])('svc tasks finds the tasks of %s and shows their source', async (word) => {
  const { task } = await daemon.client.tasks.create({ body: { title: 'Mend it', source: 'codehost' } });
  const found = await home.svc(['tasks', 'ls', '--source', word, '--quiet'], { env: env() });
  expect(found.stdout).toBe(`${task.id}\n`);
  expect((await home.svc(['tasks', 'show', task.id], { env: env() })).stdout).toMatch(/\nSource +GitHub\n/);
});

describe('svc integrations connect', () => {
  it('says how to set the daemon up before an account is connected', async () => {
    const { code, stdout, stderr } = await svc('connect', 'jira');
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'Create an OAuth app at https://developer.atlassian.com/console/myapps with this callback URL:',
      `  ${daemon.url}/api/auth/tracker_a/callback`,
      'then configure it; the secret is prompted for without echo, or piped in:',
      '  svc config set integrations.jira.clientId ID',
      '  svc config set integrations.jira.clientSecret',
      'svc: No OAuth app is configured for Jira. Once configured: svc integrations connect jira',
      '',
    ]);
    await start({ 'integrations.jira.clientId': 'x', 'server.baseUrl': 'https://svc.example.com' });
    const half = await svc('connect', 'tracker_a');
    expect(half.code).toBe(78);
    expect(half.stderr).toContain('  https://svc.example.com/api/auth/tracker_a/callback\n');
    expect(half.stderr).not.toContain('clientId');
  });

  it.each([
    [['connect', 'gitub'], /Did you mean github\?/],
    [['disconnect', 'slack'], /Allowed choices are github, jira, linear\./],
    [['connect'], /missing required argument/i],
  ])('rejects the integration arguments %j', async (args, because) => {
    const { code, stdout, stderr } = await svc(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(because);
  });

  it('completes the names of integrations', async () => {
    const { stdout } = await home.svc(['__complete', '--', 'integrations', 'connect', 'l']);
    expect(stdout).toBe('linear\tLinear\n');
  });
});

describe.skipIf(!hasSharedFixtures)('svc integrations with the vendors', () => {
  let vendors: VendorStub;
  beforeEach(async () => {
    vendors = await startVendors();
    await start(vendors.flags);
  });
  afterEach(() => vendors[Symbol.asyncDispose]());

  /** Does in a browser what the link is for; answers the page that it ends on. */
  async function follow(link: string): Promise<string | null> {
    const { hash, pathname } = new URL(link);
    expect(pathname).toBe('/sign-in');
    const browser = new TestBrowser(daemon.url);
    const answer = await browser.post('/api/auth/sign-in-links/redeem', { token: hash.slice(1) });
    const { returnTo } = (await answer.json()) as { returnTo: string };
    expect(browser.cookie(sessionCookie)).toBeDefined();
    const response = await browser.open(await browser.agree(returnTo));
    return response.headers.get('location');
  }

  it.each([
    ['github', 'GitHub', 'octocat'],
    ['tracker_a', 'Jira', 'Site name'],
    ['linear', 'Linear', 'Webhooks Inc (WEB, POR)'],
  ])('connects %s through a link, and waits for it', async (word, name, account) => {
    const running = home.start(['integrations', 'connect', word], { env: env() });
    const link = (await said(running, 'stdout', /\n/)).trim();
    expect(await follow(link)).toBe('/');
    const { code, stdout, stderr } = outcomeOf(await running);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${link}\n` });
    expect(stderr).toContain(
      `it signs you in and continues to ${name}.\nIt works once and expires in 1 min.\n`,
    );
    expect(stderr).toMatch(new RegExp(`\nConnected ${name} as ${account.replaceAll(/[()]/g, '\\$&')}\\.\n$`));
    expect((await svc('ls')).stdout).toContain(`${name.padEnd(12)}${account}  `);
  });

  it('prints the link and the status as JSON lines', async () => {
    const running = home.start(['integrations', 'connect', 'github', '--json'], { env: env() });
    const link = JSON.parse(await said(running, 'stdout', /\n/)) as { url: string };
    expect(link).toHaveProperty('expiresAt');
    await follow(link.url);
    const [, status = ''] = outcomeOf(await running)
      .stdout.trim()
      .split('\n');
    expect(JSON.parse(status)).toEqual(await daemon.client.integrations.getGithub());
  });

  it('does not wait with --no-wait, and reports an account that is already connected', async () => {
    const first = await svc('connect', 'github', '--no-wait');
    expect(first).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('svc integrations ls') as string,
    });
    await follow(first.stdout.trim());
    const second = await svc('connect', 'github');
    expect(second).toMatchObject({
      code: 0,
      stdout: '',
      stderr:
        'GitHub is already connected as octocat. To use another account: svc integrations connect github --again\n',
    });
    const again = await svc('connect', 'github', '--again');
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/^http\S+\/sign-in#\S+\n$/);
  });

  it('stops waiting for a connection on a timeout or on Ctrl-C', async () => {
    const late = await svc('connect', 'linear', '--timeout', '100ms');
    expect(late.code).toBe(8);
    expect(late.stderr).toContain(
      'Linear is not connected yet. Get a new link: svc integrations connect linear',
    );
    const running = home.start(['integrations', 'connect', 'linear'], { env: env() });
    await said(running, 'stderr', /Press Ctrl-C to stop waiting/);
    running.kill('SIGINT');
    const { code, stderr } = outcomeOf(await running);
    expect(code).toBe(130);
    expect(stderr).toContain('svc: Stopped waiting;');
  });

  it('keeps waiting for a connection while the daemon restarts', async () => {
    const running = home.start(['integrations', 'connect', 'github'], {
      env: { ...env(), SVC_NO_AUTOSTART: '1' },
    });
    const link = (await said(running, 'stdout', /\n/)).trim();
    const { port } = new URL(daemon.url);
    const { home: folder } = daemon;
    await daemon.stop();
    daemon = await startDaemon({ home: folder, flags: { ...vendors.flags, 'server.port': Number(port) } });
    await follow(link);
    expect(outcomeOf(await running)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Connected GitHub') as string,
    });
  });

  it('disconnects an account only after confirmation', async () => {
    await follow((await svc('connect', 'github', '--no-wait')).stdout.trim());
    const refused = await svc('disconnect', 'github');
    expect(refused).toMatchObject({ code: 9, stdout: '' });
    expect(refused.stderr).toContain('--yes');
    expect(await daemon.client.integrations.getGithub()).toMatchObject({ connected: true });
    const done = await svc('disconnect', 'codehost', '--yes');
    expect(done).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'GitHub disconnected and access revoked.\n',
    });
    expect(await vendors.revoked()).toHaveLength(1);
    expect(await svc('disconnect', 'github', '--yes')).toMatchObject({
      code: 6,
      stderr: 'svc: GitHub is not connected. Connect it: svc integrations connect github\n',
    });
    await follow((await svc('connect', 'jira', '--no-wait')).stdout.trim());
    const jira = JSON.parse((await svc('disconnect', 'jira', '--yes', '--json')).stdout) as object;
    expect(jira).toMatchObject({
      revoked: false,
      message: expect.stringContaining('id.atlassian.com') as string,
    });
  });

  it('an administrator disconnects the account of another user', async () => {
    const { browser, userId } = await signedInBrowser(daemon, 'ann');
    await browser.open(await browser.agree('/api/auth/tracker_b'));
    expect(await daemon.app.connections.find(userId, 'linear')).toBeDefined();
    expect(await svc('disconnect', 'linear', '--user', 'user_nobody', '--yes')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('User not found') as string,
    });
    expect(await svc('disconnect', 'linear', '--user', userId, '--yes')).toMatchObject({
      code: 0,
      stderr: 'Linear disconnected and access revoked.\n',
    });
    expect(await daemon.app.connections.find(userId, 'linear')).toBeUndefined();
  });

  it.skipIf(!hasTerminals)('asks before it disconnects on a terminal', async () => {
    await follow((await svc('connect', 'linear', '--no-wait')).stdout.trim());
    for (const [answer, code, connected] of [
      ['n', 3, true],
      ['y', 0, false],
    ] as const) {
      const running = home.startOnTerminal(['integrations', 'disconnect', 'linear'], { env: env() });
      await said(running, 'stdout', /Disconnect Linear \(Webhooks Inc \(WEB, POR\)\)\? \[y\/N\] /);
      running.stdin?.write(`${answer}\r`);
      expect(outcomeOf(await running).code).toBe(code);
      expect((await daemon.client.integrations.getLinear()).connected).toBe(connected);
    }
  });
});
