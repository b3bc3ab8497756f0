import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRuntime } from '../../src/core/runtime.ts';
import { wireName } from '../../src/contract/vendors.ts';
import type { CommentTarget } from '../../src/core/integrations/inbound/source-work.ts';
import { CommentVendors } from '../helpers/comment-vendors.ts';
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../helpers/daemon.ts';
import { hasSharedFixtures } from '../helpers/shared-fixture.ts';
import { heldAdapter, until } from '../helpers/tasks.ts';
import { signedInBrowser } from '../helpers/test-browser.ts';
import { startVendors, type VendorStub } from '../helpers/vendor-stub.ts';

const targets: CommentTarget[] = [
  { provider: 'github', repository: 'acme/web', number: 12 },
  { provider: 'jira', site: 'https://your-domain.atlassian.net', issueKey: 'WEB-12' },
  { provider: 'linear', issueId: '9e383f51-2629-4f19-97ff-451cc2f0a0ad' },
];

let stub: VendorStub;
let comments: CommentVendors;
let proxy: Awaited<ReturnType<CommentVendors['listen']>>;
let daemon: TestDaemon;
let agent: ReturnType<typeof heldAdapter>;

/** Another daemon, perhaps on the folder of the one before, and later. */
async function start(again: Pick<TestDaemonOptions, 'home' | 'runtime'> = {}): Promise<void> {
  agent = heldAdapter();
  const text = JSON.stringify(stub.flags).replaceAll(stub.url, proxy.url);
  daemon = await startDaemon({
    ...again,
    extraAdapters: [agent.adapter],
    flags: {
      ...(JSON.parse(text) as typeof stub.flags),
      'system.registrationMode': 'open',
    },
  });
}

beforeEach(async () => {
  if (!hasSharedFixtures) return;
  stub = await startVendors();
  comments = new CommentVendors();
  proxy = await comments.listen(stub.url);
  await start();
});
afterEach(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  await stub?.[Symbol.asyncDispose]();
});

/** A user who has connected what the target needs. */
async function connected({ provider }: CommentTarget): Promise<string> {
  const { browser, userId } = await signedInBrowser(daemon, 'ann');
  await browser.open(await browser.agree(`/api/auth/${wireName(provider)}`));
  return userId;
}

/** A task of the user that came from the target. */
async function addTask(ownerId: string, target: CommentTarget): Promise<string> {
  const { tasks, sourceComments } = daemon.app;
  const input = { title: 'Mend it', assignedAgent: 'test', source: wireName(target.provider), labels: [] };
  const { answer } = await tasks.createFor(
    { userId: ownerId, role: 'user' },
    { ...input, priority: 3 },
    {
      scope: 'a test',
      key: undefined,
      body: input,
      attach: (transaction, { id }) => {
        sourceComments.add(transaction, { taskId: id, ownerId, target });
        return { id };
      },
    },
  );
  return answer.id;
}
const text = (target: CommentTarget) => {
  const texts = comments.texts(target.provider);
  expect(texts).toHaveLength(1);
  return texts[0] ?? '';
};
const lastError = async (taskId: string) => {
  const query = daemon.app.database.read.selectFrom('source_comments').selectAll();
  const row = await query.where('task_id', '=', taskId).executeTakeFirstOrThrow();
  expect(row.ended_at).not.toBeNull();
  return row.last_error;
};

describe.skipIf(!hasSharedFixtures)('a task with a source', () => {
  it.each(targets)(
    'a task posts its progress as a comment at $provider, as the account that its owner connected',
    async (target) => {
      const userId = await connected(target);
      const id = await addTask(userId, target);
      const { succeed } = await agent.started(0);
      await until(() => expect(text(target)).toContain('svc is working on this'));
      succeed('Mended by @octocat, see #12');
      await until(() => expect(text(target)).toContain('svc has finished this'));
      expect(text(target)).toContain('Mended by');
      expect(text(target)).toContain(`svc:${id}`);
      const token = await daemon.app.connections.accessToken(userId, target.provider);
      expect(new Set(comments.requests.map(({ authorization }) => authorization))).toEqual(
        new Set([`Bearer ${token}`]),
      );
      await until(async () => expect(await lastError(id)).toBeNull());
    },
  );

  it('a task posts no comment once its owner revoked the access', async () => {
    const [target] = targets as [CommentTarget];
    const userId = await connected(target);
    const id = await addTask(userId, target);
    const { succeed } = await agent.started(0);
    await until(() => expect(text(target)).toContain('svc is working on this'));
    expect(await daemon.app.connections.disconnect(userId, 'github')).toBe(true);
    expect(await stub.revoked()).toEqual([{ v: 'github', how: 'grant' }]);
    succeed();
    await until(async () =>
      expect(await lastError(id)).toBe('No connected account or token can write the comment'),
    );
    expect(text(target)).toContain('svc is working on this');
    const task = await daemon.app.database.read
      .selectFrom('tasks')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirst();
    expect(task?.status).toBe('completed');
  });

  it('a task keeps its one comment when the daemon stops halfway', async () => {
    const [target] = targets as [CommentTarget];
    const userId = await connected(target);
    // The first one arrives, and nobody hears of it.
    comments.interfere = () => (comments.requests.length === 1 ? 'lost' : undefined);
    await addTask(userId, target);
    await agent.started(0);
    await until(() => expect(comments.requests).toHaveLength(1));
    const { home } = daemon;
    await daemon.stop();
    // It is looked for once it is sure to be there.
    await start({ home, runtime: { ...systemRuntime, now: () => new Date(Date.now() + 60_000) } });
    const { succeed } = await agent.started(0);
    succeed();
    await until(() => expect(text(target)).toContain('svc has finished this'));
    expect(comments.writes().filter(({ method }) => method === 'POST')).toHaveLength(1);
  });
});
