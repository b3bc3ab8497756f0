import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vendorOf } from '../../src/contract/vendors.ts';
import { sessionCookie } from '../../src/contract/locations.ts';
import { hasSandbox } from '../core/tools/commands/command-setup.ts';
import { CommentVendors } from '../helpers/comment-vendors.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import {
  deliver,
  fromGithub,
  fromLinear,
  inboundFlags,
  labeledIssue,
  linearIssue,
  type SentDelivery,
} from '../helpers/inbound.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer } from '../helpers/model-server.ts';
import { hasSharedFixtures } from '../helpers/shared-fixture.ts';
import { follow, until } from '../helpers/tasks.ts';
import { TestBrowser } from '../helpers/test-browser.ts';
import { startVendors, type VendorStub } from '../helpers/vendor-stub.ts';

let stub: VendorStub;
let vendors: CommentVendors;
let proxy: Awaited<ReturnType<CommentVendors['listen']>>;
let model: ModelServer;
let daemon: TestDaemon;
let browser: TestBrowser;

beforeEach(async () => {
  if (!hasSharedFixtures) return;
  stub = await startVendors();
  vendors = new CommentVendors();
  proxy = await vendors.listen(stub.url);
  const flags = JSON.stringify(stub.flags).replaceAll(stub.url, proxy.url);
  // It also tries a call that untrusted text may not make.
  ({ daemon, model } = await startModelDaemon(
    { flags: { ...(JSON.parse(flags) as typeof stub.flags), ...inboundFlags } },
    callsTools([[{ name: 'run_command', args: { command: 'touch made.txt' } }]], 'The log says why.'),
  ));
  browser = new TestBrowser(daemon.url);
  const link = await daemon.client.auth.createSignInLink({ body: {} });
  const token = new URL(link.url).hash.slice(1);
  await browser.post('/api/auth/sign-in-links/redeem', { token });
  expect(browser.cookie(sessionCookie)).toBeDefined();
});
afterEach(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  await stub?.[Symbol.asyncDispose]();
});

const loops: [provider: 'codehost' | 'tracker_b', revoked: object, make: () => SentDelivery][] = [
  ['codehost', { v: 'github', how: 'grant' }, () => fromGithub(labeledIssue())],
  ['tracker_b', { v: 'linear' }, () => fromLinear(linearIssue('WEB-7', Date.now()))],
];

describe.skipIf(!hasSharedFixtures)('from the label of an untrusted user to the comment', () => {
  it.each(loops)(
    'a labeled issue of %s becomes a task whose result is posted as a comment',
    async (provider, revoked, make) => {
      const { client } = daemon;
      await browser.open(await browser.agree(`/api/auth/${provider}`));
      const delivery = make();
      const { status, body } = await deliver(daemon, delivery);
      expect([status, body.status]).toEqual([200, 'accepted']);
      expect((await deliver(daemon, delivery)).body).toMatchObject({
        status: 'duplicate',
        taskId: body.taskId,
      });

      const { task } = await follow(client, body.taskId ?? '');
      expect(task).toMatchObject({
        status: 'completed',
        source: provider,
        agentType: 'builtin',
        result: { output: 'The log says why.' },
      });
      expect(JSON.stringify(model.asked[0]?.body.messages)).toContain('It does not start');
      // What the model was told of its command: untrusted work runs none.
      expect(JSON.stringify(model.asked[1]?.body.messages.at(-1))).toContain(
        hasSandbox.isWorking
          ? 'not available for work that was triggered by untrusted input'
          : 'There is no sandbox here',
      );
      const { entries } = await client.audit.list({ query: { tool: 'run_command' } });
      expect(entries.map(({ result }) => result)).not.toContain('ok');

      await until(() => expect(vendors.texts(vendorOf(provider))[0]).toContain('svc has finished this'));
      expect(vendors.texts(vendorOf(provider))).toHaveLength(1);
      expect(vendors.texts(vendorOf(provider))[0]).toContain('The log says why.');
      expect((await client.integrations.getWebhooksStatus())[provider]).toMatchObject({
        configured: true,
        eventCount: 2,
      });

      const name = provider === 'codehost' ? 'disconnectGithub' : 'disconnectLinear';
      expect(await client.integrations[name]()).toMatchObject({ revoked: true });
      expect(await stub.revoked()).toEqual([revoked]);
      const after = await client.integrations[provider === 'codehost' ? 'getGithub' : 'getLinear']();
      expect(after.connected).toBe(false);
    },
  );
});
