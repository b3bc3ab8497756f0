import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Approval } from '../../src/contract/approvals.ts';
import type { OpenedPullRequest, WaitingPublication } from '../../src/contract/changes.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { runSql } from '../helpers/daemon-rows.ts';
import { GithubServer } from '../helpers/github-server.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { follow } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

let github: GithubServer;
let daemon: TestDaemon;
let count = 0;
const soon = { timeout: 20_000 };

beforeAll(async () => {
  github = await new GithubServer().listen();
  daemon = await startDaemon({ flags: github.flags });
  await github.connect(daemon.app);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await github[Symbol.asyncDispose]();
});
beforeEach(() => {
  github.interfere = () => undefined;
});

/** Finished work in a worktree, of a task that untrusted text created. */
async function untrusted(of = daemon) {
  const name = `octo/app-${++count}`;
  github.create(name);
  const repository = new GitRepository();
  repository.git('remote', 'add', 'origin', `${github.url}/${name}.git`);
  repository.git('push', '-q', github.pathOf(name), 'main');
  const { client, app } = of;
  const { task } = await client.tasks.create({
    body: {
      title: 'Work of others',
      assignedAgent: 'command',
      prompt: 'echo 4 >> a.txt',
      cwd: repository.root,
      worktree: true,
    },
  });
  await follow(client, task.id);
  await app.database.write(({ db }) =>
    db.updateTable('tasks').set({ is_trusted: 0 }).where('id', '=', task.id).execute(),
  );
  const { id } = task;
  const { worktree } = await client.tasks.getChanges({ params: { id } });
  const branch = `svc/${id}`;
  return {
    id,
    name,
    branch,
    path: worktree?.path ?? '',
    push: (approval?: string) => of.client.tasks.pushChanges({ params: { id }, query: { approval } }),
    open: (body: { title?: string; body?: string } = {}, approval?: string) =>
      of.client.tasks.openPullRequest({ params: { id }, query: { approval }, body }),
    atGithub: () => github.git(name, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`),
  };
}

function waiting(answer: { status: string }): WaitingPublication {
  expect(answer.status).toBe('waiting_for_approval');
  return answer as WaitingPublication;
}
const decide = (
  { id }: Pick<Approval, 'id'>,
  decision: 'allow-once' | 'allow-always' | 'deny',
  more: { denialReason?: string; covers?: 'tool' } = {},
) => daemon.client.approvals.decide({ params: { id }, body: { decision, ...more } });
const auditOf = async (tool: string, taskId: string) => {
  const { entries } = await daemon.client.audit.list({ query: { tool } });
  return entries.filter((entry) => entry.taskId === taskId);
};

it('a push of untrusted work waits for an approval of exactly this commit', async () => {
  const { id, name, branch, push, atGithub } = await untrusted();
  const answer = waiting(await push());
  expect(answer.approval).toMatchObject({
    status: 'pending',
    taskId: id,
    toolName: 'push_changes',
    securityLevel: 'high',
    params: {
      task: id,
      repository: name,
      remote: `${github.url}/${name}.git`,
      branch,
      base: expect.stringMatching(/^[0-9a-f]{40}$/),
      commit: answer.commit,
      account: 'ann',
      files: 1,
      additions: 1,
      deletions: 0,
      paths: ['a.txt'],
    },
    reason: expect.stringContaining(`svc tasks diff ${id}`),
  });
  expect(atGithub()).toBe('');
  expect(waiting(await push()).approval.id).toBe(answer.approval.id);
  const { notifications } = await daemon.client.notifications.list({ query: {} });
  expect(notifications.filter(({ taskId }) => taskId === id)).toMatchObject([
    { type: 'approval_requested', title: 'Approval needed: push_changes' },
  ]);
});

it('after a yes it is pushed once, without another request', async () => {
  const { id, name, branch, push, atGithub } = await untrusted();
  const { approval, commit } = waiting(await push());
  await decide(approval, 'allow-once');
  await expect.poll(atGithub, soon).toBe(commit);
  expect(await push(approval.id)).toMatchObject({ status: 'pushed', commit });
  expect(await push()).toMatchObject({ status: 'already_pushed' });
  // The approval does not bring back a branch that was deleted at GitHub.
  github.git(name, 'update-ref', '-d', `refs/heads/${branch}`);
  expect(await push(approval.id)).toMatchObject({ status: 'pushed' });
  expect(atGithub()).toBe('');
  expect(waiting(await push()).approval.id).not.toBe(approval.id);
  const [entry, ...others] = await auditOf('tasks.changes_pushed', id);
  expect(others).toEqual([]);
  expect(entry?.arguments).toMatchObject({ commit, approval: approval.id, approvedBy: 'user_owner' });
});

it('many requests at the same time push once', async () => {
  const { id, push, open, branch, atGithub } = await untrusted();
  const { approval, commit } = waiting(await push());
  const ofPull = waiting(await open()).approval;
  await Promise.all([decide(approval, 'allow-once'), decide(ofPull, 'allow-once')]);
  await Promise.all([push(approval.id), push(approval.id), push(), open({}, ofPull.id), open({}, ofPull.id)]);
  expect(atGithub()).toBe(commit);
  expect(await auditOf('tasks.changes_pushed', id)).toHaveLength(1);
  expect(await auditOf('tasks.pull_request_opened', id)).toHaveLength(1);
  expect(github.pulls.filter(({ head }) => head.ref === branch)).toHaveLength(1);
});

it('a pull request of untrusted work is opened after a yes, with the text that was approved', async () => {
  const { branch, open, push } = await untrusted();
  const { approval } = waiting(await open({ title: 'Four', body: 'See the docs.' }));
  expect(approval).toMatchObject({
    toolName: 'open_pull_request',
    params: { into: 'main', title: 'Four', body: 'See the docs.', draft: false },
  });
  await decide(approval, 'allow-once');
  const opened = (await open({ title: 'Another one' }, approval.id)) as OpenedPullRequest;
  expect(opened).toMatchObject({ status: 'created', pushed: true, base: 'main' });
  const pulls = github.pulls.filter(({ head }) => head.ref === branch);
  expect(pulls).toMatchObject([{ title: 'Four', body: expect.stringMatching(/^See the docs\./) }]);
  expect(await open()).toMatchObject({ status: 'existing', pullRequest: opened.pullRequest });
  expect(await push()).toMatchObject({ status: 'already_pushed', pullRequest: opened.pullRequest });
  expect(github.pulls.filter(({ head }) => head.ref === branch)).toHaveLength(1);
});

it('an approval of a push allows no pull request', async () => {
  const { branch, open, push } = await untrusted();
  const { approval } = waiting(await push());
  await decide(approval, 'allow-once');
  expect(await push(approval.id)).toMatchObject({ status: 'pushed' });
  await expect(open({}, approval.id)).rejects.toMatchObject({ status: 404 });
  waiting(await open());
  expect(github.pulls.filter(({ head }) => head.ref === branch)).toEqual([]);
});

it('after a no nothing is pushed, and the answer has the reason', async () => {
  const { push, atGithub } = await untrusted();
  const { approval } = waiting(await push());
  await decide(approval, 'deny', { denialReason: 'it sends mail' });
  await expect(push(approval.id)).rejects.toMatchObject({
    status: 403,
    message: 'A person denied it and says: it sends mail. Nothing was pushed.',
  });
  expect(waiting(await push()).approval.id).not.toBe(approval.id);
  expect(atGithub()).toBe('');
});

it('a commit that came after the request is not pushed by its approval', async () => {
  const { id, path, push, atGithub } = await untrusted();
  const { approval } = waiting(await push());
  writeFileSync(`${path}/b.txt`, 'planted\n');
  await decide(approval, 'allow-once');
  await expect(push(approval.id)).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('has changed since. Nothing was pushed'),
  });
  expect(atGithub()).toBe('');
  const { notifications } = await daemon.client.notifications.list({ query: {} });
  expect(notifications.filter(({ taskId }) => taskId === id).map(({ type }) => type)).toEqual([
    'push_failed',
    'approval_requested',
  ]);
  // The old approval is used up: the next request asks again.
  expect(waiting(await push()).approval.params['paths']).toEqual(['a.txt', 'b.txt']);
});

it('another target than the one that was approved is not pushed to', async () => {
  const { id, push, atGithub } = await untrusted();
  const { approval } = waiting(await push());
  github.create('octo/other');
  await daemon.app.database.write(({ db }) =>
    db.updateTable('tasks').set({ repository: 'octo/other' }).where('id', '=', id).execute(),
  );
  await decide(approval, 'allow-once');
  await expect(push(approval.id)).rejects.toMatchObject({ status: 409 });
  expect(atGithub()).toBe('');
  expect(github.git('octo/other', 'for-each-ref')).toBe('');
});

it('neither "always" nor other arguments widen an approval', async () => {
  const { path, push } = await untrusted();
  const { approval } = waiting(await push());
  await expect(
    daemon.client.approvals.decide({
      params: { id: approval.id },
      body: { decision: 'allow-once', arguments: { ...approval.params, branch: 'main' } },
    }),
  ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('cannot be changed') });
  await decide(approval, 'allow-always', { covers: 'tool' });
  expect(await push(approval.id)).toMatchObject({ status: 'pushed' });
  writeFileSync(`${path}/b.txt`, 'more\n');
  waiting(await push());
});

it('what GitHub cannot do now is done by the same approval later', async () => {
  const { push, atGithub } = await untrusted();
  const { approval, commit } = waiting(await push());
  github.interfere = () => ({ status: 500, body: {} });
  await decide(approval, 'allow-once');
  await expect(push(approval.id)).rejects.toMatchObject({ status: 503 });
  expect(atGithub()).toBe('');
  github.interfere = () => undefined;
  expect(await push()).toMatchObject({ status: 'pushed' });
  expect(atGithub()).toBe(commit);
});

it('other users see and decide nothing of it, and nobody pushes in the name of the owner', async () => {
  const { id, push, atGithub } = await untrusted();
  const { approval } = waiting(await push());
  const bob = await addUser(daemon, 'bob');
  const at = { params: { id }, query: { approval: approval.id } };
  await expect(bob.client.tasks.pushChanges(at)).rejects.toMatchObject({ status: 404 });
  await expect(
    bob.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'allow-once' } }),
  ).rejects.toMatchObject({ status: 404 });
  const other = await untrusted();
  await expect(
    daemon.client.tasks.pushChanges({ params: { id: other.id }, query: { approval: approval.id } }),
  ).rejects.toMatchObject({ status: 404 });
  expect(atGithub()).toBe('');
});

it('it is not pushed once its owner may not run commands any more', async () => {
  const { id, push, atGithub } = await untrusted();
  const { approval } = waiting(await push());
  await daemon.app.database.write(({ db }) =>
    db.updateTable('approvals').set({ owner_id: 'user_gone' }).where('task_id', '=', id).execute(),
  );
  await decide(approval, 'allow-once');
  await expect(push(approval.id)).rejects.toMatchObject({ status: 403 });
  expect(atGithub()).toBe('');
});

it('what was allowed before a restart happens after it, and what may have happened does not happen again', async () => {
  const first = await untrusted();
  const second = await untrusted();
  const approvals = [waiting(await first.push()), waiting(await second.push())];
  await daemon.stop();
  const decided_at = new Date().toISOString();
  const allow = (used_at: string | null, id = '') =>
    runSql(
      daemon,
      "update approvals set status = 'approved', decision = 'allow-once', decided_at = ?, used_at = ? where id = ?",
      decided_at,
      used_at,
      id,
    );
  await allow(null, approvals[0]?.approval.id);
  await allow(decided_at, approvals[1]?.approval.id);
  const { home } = daemon;
  daemon = await startDaemon({ home, flags: github.flags });
  await expect.poll(first.atGithub, soon).toBe(approvals[0]?.commit);
  const { id } = second;
  await expect(
    daemon.client.tasks.pushChanges({ params: { id }, query: { approval: approvals[1]?.approval.id } }),
  ).rejects.toMatchObject({ status: 409, message: expect.stringContaining('svc was stopped') });
  expect(second.atGithub()).toBe('');
});
