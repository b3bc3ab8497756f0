import { realpathSync } from 'node:fs';
import type { OpenedPullRequest } from '../../src/contract/changes.ts';
import type { Task } from '../../src/contract/task.ts';
import type { Flags } from '../../src/core/config/config.ts';
import { startDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.ts';
import { GithubServer } from './github-server.ts';
import { GitRepository } from './git-repository.ts';
import { deliver, fromGithub, inboundFlags } from './inbound.ts';

const NAME = 'octo/app';

export interface OpenedOptions {
  /** The rule of the repository. */
  rule?: Record<string, boolean>;
  flags?: Flags;
  env?: Record<string, string>;
  /** For a daemon of a cluster. */
  start?: (options: TestDaemonOptions) => Promise<TestDaemon>;
  /** Does the work of which the pull request is, in this checkout. */
  work: (daemon: TestDaemon, cwd: string) => Promise<Task>;
}

/** A pull request that svc opened for the work of a task, with what GitHub says of it. */
export async function openedPullRequest({
  rule = { followUps: true },
  flags,
  env,
  start = startDaemon,
  work,
}: OpenedOptions) {
  const github = await new GithubServer().listen();
  github.create(NAME);
  const repository = new GitRepository();
  repository.git('remote', 'add', 'origin', `${github.url}/${NAME}.git`);
  repository.git('push', '-q', github.pathOf(NAME), 'main');
  const daemon = await start({
    ...(env && { env }),
    flags: { ...github.flags, ...inboundFlags, ...flags },
  });
  await github.connect(daemon.app);
  const { client } = daemon;
  const setRule = (value: Record<string, boolean>) =>
    client.config.update({
      params: { key: 'webhooks.github.rules' },
      body: { value: { [NAME]: value } },
    });
  await setRule(rule);
  const task = await work(daemon, realpathSync(repository.root));
  const { commit, branch } = (await client.tasks.openPullRequest({
    params: { id: task.id },
    body: {},
  })) as OpenedPullRequest;
  const shared = {
    repository: { full_name: NAME, default_branch: 'main' },
    sender: { login: 'bob', type: 'User' },
  };
  const pull = {
    number: 1,
    title: 'Work',
    state: 'open',
    labels: [],
    assignees: [],
    head: { ref: branch, repo: { full_name: NAME } },
  };
  const said = (body: string, more: object = {}) => ({
    id: Math.random(),
    body,
    user: shared.sender,
    author_association: 'MEMBER',
    ...more,
  });
  let receiver = daemon;
  const send = async (event: string, payload: object) => {
    const { body } = await deliver(receiver, fromGithub({ ...shared, ...payload }, { event }));
    return body;
  };
  return {
    name: NAME,
    /** From now on GitHub reaches svc at another daemon. */
    reachAt: (other: TestDaemon) => void (receiver = other),
    setRule,
    github,
    daemon,
    client,
    first: task,
    commit,
    branch,
    get: async (id: string | undefined) => (await client.tasks.get({ params: { id: id ?? '' } })).task,
    comment: (text: string, more: object = {}, payload: object = {}) =>
      send('pull_request_review_comment', {
        action: 'created',
        pull_request: pull,
        comment: said(text, more),
        ...payload,
      }),
    review: (state: string, text: string) =>
      send('pull_request_review', {
        action: 'submitted',
        pull_request: pull,
        review: said(text, { state }),
      }),
    check: (sha: string, conclusion = 'failure') =>
      send('check_run', {
        action: 'completed',
        check_run: {
          name: 'build',
          head_sha: sha,
          conclusion,
          check_suite: { head_branch: branch },
          output: { title: 'It does not build', summary: `See ${Math.random()}` },
        },
      }),
    [Symbol.asyncDispose]: async () => {
      await daemon[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
    },
  };
}
