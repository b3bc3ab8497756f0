import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { WaitingPublication } from '../../../src/contract/changes.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { GithubServer } from '../../helpers/github-server.ts';
import { GitRepository } from '../../helpers/git-repository.ts';
import { follow } from '../../helpers/tasks.ts';

let github: GithubServer;
let daemon: TestDaemon;
/** Where a git in front of the real one writes its arguments and those of its children. */
const spied = temporaryFolder();

/** A git that notes its arguments, and the command lines of all processes while it pushes. */
function spyOnGit(): string {
  const directory = join(spied, 'bin');
  mkdirSync(directory);
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
echo "$@" >> ${spied}/arguments
case " $* " in *" push "*)
  ${real} "$@" & child=$!
  while kill -0 $child 2>/dev/null; do cat /proc/[0-9]*/cmdline >> ${spied}/processes 2>/dev/null; done
  wait $child; exit $?;;
esac
exec ${real} "$@"
`;
  writeFileSync(join(directory, 'git'), script);
  chmodSync(join(directory, 'git'), 0o755);
  return directory;
}

beforeAll(async () => {
  github = await new GithubServer().listen();
  daemon = await startDaemon({
    flags: github.flags,
    env: { PATH: `${spyOnGit()}:${process.env['PATH']}` },
  });
  await github.connect(daemon.app);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await github[Symbol.asyncDispose]();
});
beforeEach(() => {
  github.interfere = () => undefined;
});

/** A repository at GitHub with its checkout. */
function repositoryAt(name: string): GitRepository {
  github.create(name);
  const repository = new GitRepository();
  repository.git('remote', 'add', 'origin', `${github.url}/${name}.git`);
  repository.git('push', '-q', github.pathOf(name), 'main');
  return repository;
}

async function work(repository: GitRepository, prompt: string, more: object = {}) {
  const { client } = daemon;
  const { task } = await client.tasks.create({
    body: {
      title: 'My work',
      assignedAgent: 'command',
      prompt,
      cwd: repository.root,
      worktree: true,
      ...more,
    },
  });
  await follow(client, task.id);
  const at = { params: { id: task.id } };
  return {
    id: task.id,
    branch: `svc/${task.id}`,
    push: async () => done(await client.tasks.pushChanges(at)),
    open: async (body: { title?: string; body?: string; draft?: boolean; base?: string } = {}) =>
      done(await client.tasks.openPullRequest({ ...at, body })),
    changes: () => client.tasks.getChanges(at),
    task: async () => (await client.tasks.get(at)).task,
  };
}
/** The answer, where no person has to decide first. */
function done<T extends { status: string }>(answer: T): Exclude<T, WaitingPublication> {
  expect(answer.status).not.toBe('waiting_for_approval');
  return answer as Exclude<T, WaitingPublication>;
}
const auditOf = async (tool: string, taskId: string) => {
  const { entries } = await daemon.client.audit.list({ query: { tool } });
  return entries.filter((entry) => entry.taskId === taskId);
};

/** Every file below a directory. */
const bytesOf = (directory: string): Buffer[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));

it('push commits the changes and pushes them once', async () => {
  const repository = repositoryAt('octo/pushed');
  const before = repository.fingerprint();
  const { id, branch, push } = await work(repository, 'echo 4 >> a.txt');
  const pushed = await push();
  expect(pushed).toMatchObject({ status: 'pushed', repository: 'octo/pushed', branch, committed: true });
  expect(github.git('octo/pushed', 'rev-parse', branch)).toBe(pushed.commit);
  expect(github.git('octo/pushed', 'show', `${branch}:a.txt`)).toContain('4');
  expect(await push()).toEqual({
    ...pushed,
    status: 'already_pushed',
    committed: false,
    message: `${branch} is already pushed to octo/pushed`,
  });
  expect(await auditOf('tasks.changes_pushed', id)).toHaveLength(1);
  // The checkout is as it was, also its settings and refs of remotes.
  expect(repository.fingerprint()).toEqual(before);
});

it('a pull request does all, and a second one answers the first', async () => {
  const repository = repositoryAt('octo/opened');
  const { id, branch, open, task, changes } = await work(repository, 'echo 4 >> a.txt', {
    description: 'For @everyone',
    verify: ['grep 4 a.txt', 'true token=sk-abcdefgh12345678'],
  });
  const opened = await open({ title: 'Four', body: 'See the docs.', draft: true });
  expect(opened).toMatchObject({ status: 'created', pushed: true, base: 'main', branch });
  const [pull] = github.pulls.filter(({ head }) => head.ref === branch);
  expect(pull).toMatchObject({ title: 'Four', draft: true, number: opened.pullRequest.number });
  const body = pull?.body ?? '';
  expect(body).toMatch(/^See the docs\./);
  expect(body).toContain('**Agent:** command');
  expect(body).toContain('**Verification:** passed');
  expect(body).toContain('- `grep 4 a.txt`: exit code 0');
  expect(body).toContain(id);
  expect(body).not.toContain('sk-abcdefgh');
  expect(body).not.toContain('@everyone');
  expect(body).not.toContain('echo 4');
  expect(await open()).toMatchObject({
    status: 'existing',
    pushed: false,
    pullRequest: opened.pullRequest,
  });
  expect((await task()).result?.changes?.pullRequest).toEqual(opened.pullRequest);
  expect((await changes()).worktree?.pullRequest).toEqual(opened.pullRequest);
  expect(await auditOf('tasks.pull_request_opened', id)).toHaveLength(1);
});

it('the token is in no argument, file, event or audit entry', async () => {
  const repository = repositoryAt('octo/secret');
  const { id, open } = await work(repository, 'echo 4 >> a.txt');
  await open();
  const login = Buffer.from(`x-access-token:${github.token}`).toString('base64');
  const { authorization } = github.gitRequests.at(-1) ?? {};
  expect(authorization).toBe(`Basic ${login}`);
  const seen = [
    ...bytesOf(daemon.home),
    ...bytesOf(repository.root),
    ...bytesOf(github.pathOf('octo/secret')),
    ...bytesOf(spied),
    Buffer.from(JSON.stringify(await daemon.client.tasks.listEvents({ params: { id }, query: {} }))),
    Buffer.from(JSON.stringify((await daemon.client.audit.list({ query: {} })).entries)),
  ];
  expect(readFileSync(join(spied, 'processes'), 'latin1')).toContain(`${github.url}/octo/secret.git`);
  for (const secret of [github.token, login])
    expect(seen.some((bytes) => bytes.includes(secret))).toBe(false);
});

it('settings of the repository send the token nowhere else, and run nothing', async () => {
  const other = await new GithubServer().listen();
  other.create('octo/hostile');
  const repository = repositoryAt('octo/hostile');
  const marker = join(temporaryFolder(), 'ran');
  for (const [name, value] of [
    [`url.${other.url}/.insteadOf`, `${github.url}/`],
    [`url.${other.url}/.pushInsteadOf`, `${github.url}/`],
    ['http.proxy', other.url],
    ['http.saveCookies', 'true'],
    ['credential.helper', `!touch ${marker}`],
    ['core.askPass', `touch ${marker}`],
    ['push.gpgSign', 'true'],
    ['gpg.program', marker],
  ] as const)
    repository.git('config', name, value);
  writeFileSync(join(repository.root, '.git/hooks/pre-push'), `#!/bin/sh\ntouch ${marker}\n`, {
    mode: 0o755,
  });
  const { push } = await work(repository, 'echo 4 >> a.txt');
  expect(await push()).toMatchObject({ status: 'pushed', repository: 'octo/hostile' });
  expect(other.gitRequests).toEqual([]);
  expect(other.requests).toEqual([]);
  expect(() => readFileSync(marker)).toThrow('ENOENT');
  await other[Symbol.asyncDispose]();
});

it('commits of other people on the branch are not overwritten', async () => {
  const repository = repositoryAt('octo/diverged');
  const { id, branch, push } = await work(repository, 'echo 4 >> a.txt');
  await push();
  const theirs = repository.commit({ 'b.txt': 'theirs\n' });
  repository.git('push', '-q', '-f', github.pathOf('octo/diverged'), `${theirs}:refs/heads/${branch}`);
  await expect(push()).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('has commits'),
  });
  expect(github.git('octo/diverged', 'rev-parse', branch)).toBe(theirs);
  expect(await auditOf('tasks.changes_pushed', id)).toHaveLength(1);
});

it('files with credentials are not pushed, also if a later commit removes them', async () => {
  const repository = repositoryAt('octo/leak');
  const commit = 'git -c user.name=A -c user.email=a@example.org commit -q';
  const { push, branch } = await work(
    repository,
    `echo 4 >> a.txt; echo KEY=planted > .env; git add -A; ${commit} -m One; git rm -q .env; ${commit} -m Two`,
  );
  await expect(push()).rejects.toMatchObject({ status: 409, message: expect.stringContaining('.env') });
  expect(github.git('octo/leak', 'for-each-ref', `refs/heads/${branch}`)).toBe('');
});

it('what GitHub refuses is said in plain words', async () => {
  const repository = repositoryAt('octo/refused');
  const { open, push } = await work(repository, 'echo 4 >> a.txt');
  await expect(open({ base: 'nowhere' })).rejects.toMatchObject({
    status: 409,
    message: 'octo/refused has no branch nowhere. Name another one with --base',
  });
  const answers: [number, object, Record<string, string>, RegExp][] = [
    [403, { message: 'Forbidden' }, {}, /may not write to octo\/refused/],
    [403, { message: 'SSO' }, { 'x-github-sso': 'required' }, /single sign-on/],
    [404, { message: 'Not Found' }, {}, /does not know octo\/refused/],
    [401, { message: 'Bad credentials' }, {}, /rejected the token/],
    [500, {}, {}, /GitHub answered 500/],
    [403, {}, { 'x-ratelimit-remaining': '0' }, /rate limiting/],
  ];
  for (const [status, body, headers, message] of answers) {
    github.interfere = () => ({ status, body, headers });
    await expect(push()).rejects.toThrow(message);
  }
  github.interfere = ({ method }) =>
    method === 'POST'
      ? {
          status: 422,
          body: { message: 'Validation Failed', errors: [{ message: `No commits between main and it` }] },
        }
      : undefined;
  await expect(open()).rejects.toThrow('main has all commits of the branch already');
});

it('nothing is pushed without changes, without a repository at GitHub, or for tasks of others', async () => {
  const repository = repositoryAt('octo/nothing');
  const unchanged = await work(repository, 'true');
  await expect(unchanged.push()).rejects.toMatchObject({ status: 400 });
  const local = await work(new GitRepository(), 'echo 4 >> a.txt');
  await expect(local.push()).rejects.toThrow('the remote origin is not set');
  const { id } = await work(repository, 'echo 4 >> a.txt');
  await daemon.app.database.write(({ db }) =>
    db.updateTable('tasks').set({ owner_id: 'user_other' }).where('id', '=', id).execute(),
  );
  await expect(daemon.client.tasks.pushChanges({ params: { id } })).rejects.toMatchObject({ status: 403 });
});

it('the repository of the task counts before the remote', async () => {
  github.create('octo/named');
  const repository = repositoryAt('octo/origin');
  repository.git('push', '-q', github.pathOf('octo/named'), 'main');
  const { push, branch } = await work(repository, 'echo 4 >> a.txt', { repository: 'octo/named' });
  expect(await push()).toMatchObject({ repository: 'octo/named' });
  expect(github.git('octo/named', 'for-each-ref', `refs/heads/${branch}`)).not.toBe('');
});
