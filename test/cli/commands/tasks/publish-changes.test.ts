import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import type { Approval } from '../../../../src/contract/approvals.ts';
import type { OpenedPullRequest, PushedChanges } from '../../../../src/contract/changes.ts';
import { Refusal, startContractServer } from '../../../helpers/contract-server.ts';
import { GitRepository } from '../../../helpers/git-repository.ts';
import { ToolWorld } from '../../../helpers/tool-world.ts';
import { ensureBuilt, hasTerminals, outcomeOf, said, SvcHome } from '../../svc-binary.ts';

const id = 'task_01a1fc43-0e60-790c-9e24-000000000001';
const branch = `svc/${id}`;
const commit = '0123456789abcdef0123456789abcdef01234567';
const fields = { repository: 'octo/app', branch, commit, committed: true };
const pullRequest = { url: 'https://github.com/octo/app/pull/7', number: 7 };

beforeAll(ensureBuilt);

it('push says what to do next, and pr prints the address alone on stdout', async () => {
  const pushed: PushedChanges = { message: `Pushed ${branch} to octo/app`, status: 'pushed', ...fields };
  const opened: OpenedPullRequest = {
    ...fields,
    message: 'Opened pull request #7 of octo/app',
    status: 'created',
    pushed: true,
    base: 'main',
    pullRequest,
  };
  const bodies: unknown[] = [];
  const answers = new ToolWorld().answers();
  await using server = await startContractServer({
    ...answers,
    tasks: {
      ...answers.tasks,
      pushChanges: () => pushed,
      openPullRequest: ({ body }) => {
        bodies.push(body);
        return opened;
      },
    },
  });
  await using home = await SvcHome.create();
  const svc = async (...words: string[]) =>
    outcomeOf(await home.start(['tasks', ...words, '--url', server.url]));
  expect(await svc('push', id)).toMatchObject({
    code: 0,
    stdout: `Pushed ${branch} to octo/app: 0123456789ab\n`,
    stderr: expect.stringContaining('Open a pull request: svc tasks pr '),
  });
  expect(await svc('pr', id, '--title', 'T', '--body', 'B', '--draft', '--base', 'dev')).toEqual({
    code: 0,
    stdout: `${pullRequest.url}\n`,
    stderr: `Opened pull request #7 of octo/app, ${branch} into main.\n`,
  });
  expect(bodies).toEqual([{ title: 'T', body: 'B', draft: true, base: 'dev' }]);
  expect(JSON.parse((await svc('pr', id, '--json')).stdout)).toEqual(opened);
});

/** A server on which the push of a task waits for an approval of the world. */
async function waitingServer(world: ToolWorld) {
  const answers = world.answers();
  let asked: Approval | undefined;
  const asks: (string | undefined)[] = [];
  const server = await startContractServer({
    ...answers,
    tasks: {
      ...answers.tasks,
      pushChanges: ({ query }) => {
        asks.push(query.approval);
        asked ??= world.ask({ toolName: 'push_changes', taskId: id, params: { commit, branch } });
        const decided = world.approvals.find((each) => each.id === asked?.id);
        if (decided?.status === 'denied') throw new Refusal(403, 'A person denied it. Nothing was pushed.');
        if (decided?.status === 'approved')
          return { message: `Pushed ${branch} to octo/app`, status: 'pushed', ...fields };
        const message = `${branch} waits for an approval`;
        return { message, status: 'waiting_for_approval', ...fields, approval: asked };
      },
    },
  });
  return { server, asks };
}

it('a push that needs an approval says how to decide, and exits with 9 without a terminal', async () => {
  const world = new ToolWorld();
  const { server, asks } = await waitingServer(world);
  await using _server = server;
  await using home = await SvcHome.create();
  const svc = async (...words: string[]) =>
    outcomeOf(await home.start(['tasks', 'push', id, '--url', server.url, ...words]));
  const { code, stdout, stderr } = await svc();
  const [approval] = world.approvals;
  expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
  expect(stderr).toContain(`! ${branch} waits for an approval (`);
  expect(stderr).toContain(`Review: svc tasks diff ${id}   Decide: svc approvals allow ${approval?.id}`);
  const printed = await svc('--json');
  expect(printed.code).toBe(9);
  expect(JSON.parse(printed.stdout)).toMatchObject({ status: 'waiting_for_approval' });
  expect(asks).toEqual([undefined, undefined]);
});

it.skipIf(!hasTerminals).each([
  ['y', 0, 'Pushed svc/'],
  ['no it sends mail', 3, 'Denied; nothing was pushed.'],
])('on a terminal a push asks, and "%s" exits with %i (needs script)', async (answer, code, words) => {
  const world = new ToolWorld();
  const { server, asks } = await waitingServer(world);
  await using _server = server;
  await using home = await SvcHome.create();
  const running = home.startOnTerminal(['tasks', 'push', id, '--url', server.url]);
  await said(running, 'stdout', /Allow push_changes\? \[y\]es \/ \[n\]o, or no and why /);
  running.stdin?.write(`${answer}\r`);
  const outcome = outcomeOf(await running);
  expect(outcome.code, outcome.stdout).toBe(code);
  expect(stripVTControlCharacters(outcome.stdout)).toContain(words);
  const [approval] = world.approvals;
  expect(asks).toEqual(code === 0 ? [undefined, approval?.id] : [undefined]);
  if (code !== 0) expect(world.reasons).toEqual(['it sends mail']);
});

it('without a connected account it exits with 78 and the command that connects one', async () => {
  await using home = await SvcHome.create();
  const { root: cwd } = new GitRepository();
  await home.start(['run', '--worktree', '--agent', 'command', '--', 'echo 4 >> a.txt'], { cwd });
  const { stdout } = outcomeOf(await home.start(['tasks', 'ls', '-q']));
  const taskId = stdout.trim();
  expect(outcomeOf(await home.start(['tasks', 'pr', taskId]))).toEqual({
    code: 78,
    stdout: '',
    stderr: 'svc: No GitHub account is connected. Connect one: svc integrations connect github\n',
  });
});
