import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exitCodeOfTask } from '../src/cli/commands/tasks/task-outcome.ts';
import { root } from './cli/svc-binary.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from './helpers/daemon.ts';
import { gatewayClient } from './helpers/gateway.ts';
import { until } from './helpers/tasks.ts';

interface Step {
  id?: string;
  shell?: string;
  run?: string;
  uses?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
}
interface Action {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}
type Job = { script: string[]; before_script: string[]; variables: Record<string, string> };
const read = (path: string): unknown => parse(readFileSync(join(root, 'docs/examples', path), 'utf8'));
const action = read('github-action/action.yml') as Action;
const workflow = read('github-action/workflow.yml') as { jobs: Record<string, { steps: Step[] }> };
const gitlab = read('gitlab/svc-task.gitlab-ci.yml') as Record<string, Job>;
const [step] = action.runs.steps;

const hasTools = ['bash', 'curl', 'jq'].every((name) => spawnSync(name, ['--version']).status === 0);
if (!hasTools && process.env['CI'] === 'true') throw new Error('These tests need bash, curl and jq');
if (!hasTools) process.stderr.write('The examples for CI are not tested: they need bash, curl and jq\n');

describe('the action for GitHub', () => {
  it('is a composite action whose inputs and outputs exist', () => {
    expect(action.runs.using).toBe('composite');
    expect(action.runs.steps).toHaveLength(1);
    expect(step).toMatchObject({ id: 'run', shell: 'bash' });
    const used = [...JSON.stringify(step?.env).matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs)));
    for (const [name, { value }] of Object.entries(action.outputs))
      expect(value).toBe(`\${{ steps.run.outputs.${name} }}`);
  });

  it('takes inputs as variables only, because in a script they would be code', () => {
    for (const { run = '' } of [
      ...action.runs.steps,
      ...Object.values(workflow.jobs).flatMap(({ steps }) => steps),
    ])
      expect(run).not.toContain('${{');
  });

  it('is called by the example with inputs that it has, and with the token as a secret', () => {
    const call = Object.values(workflow.jobs)
      .flatMap(({ steps }) => steps)
      .find(({ id }) => id === 'svc');
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(call?.with ?? {})));
    expect(call?.with?.['token']).toBe('${{ secrets.SVC_TOKEN }}');
  });
});

describe.runIf(hasTools)('a task of a CI job', () => {
  let daemon: TestDaemon;
  let token: string;
  let folder: string;
  beforeAll(async () => {
    daemon = await startDaemon();
    ({ token } = await gatewayClient(daemon, { scopes: ['tasks:write', 'agents:command'] }));
    folder = temporaryFolder();
    mkdirSync(join(folder, 'bin'));
    // What other processes of the machine could see of curl and jq.
    for (const name of ['curl', 'jq']) {
      const real = spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();
      writeFileSync(
        join(folder, 'bin', name),
        `#!/bin/bash\nprintf '%s\\n' "$@" >>"$ARGUMENTS"\nexec ${real} "$@"\n`,
      );
      chmodSync(join(folder, 'bin', name), 0o755);
    }
  });
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const surroundings = () => ({
    PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
    HOME: folder,
    ARGUMENTS: join(folder, 'arguments'),
  });
  /** Runs a script as a runner does. */
  const bash = (script: string, env: Record<string, string>, cwd = folder) =>
    execa('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      env: { ...surroundings(), ...env },
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      cwd,
    });
  /** Runs the action with inputs, as GitHub does. */
  const github = async (inputs: Record<string, string>) => {
    const files = Object.fromEntries(
      ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY'].map((name) => [name, join(folder, name)] as const),
    );
    for (const file of [...Object.values(files), join(folder, 'arguments')]) writeFileSync(file, '');
    const given: Record<string, string> = { url: daemon.url, token, agent: 'command', ...inputs };
    const known: Record<string, string> = {
      'github.repository': 'acme/shop',
      'github.server_url': 'https://github.com',
      'github.run_id': '1',
    };
    const valueOf = (name: string) =>
      name.startsWith('inputs.')
        ? (given[name.slice(7)] ?? action.inputs[name.slice(7)]?.default ?? '')
        : (known[name] ?? `unknown ${name}`);
    const env = Object.fromEntries(
      Object.entries(step?.env ?? {}).map(([name, text]) => [
        name,
        text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, expression: string) => valueOf(expression)),
      ]),
    );
    const runner = {
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: join(root, 'docs/examples/github-action'),
      ...files,
    };
    const { exitCode, stdout, stderr } = await bash(step?.run ?? 'exit 99', { ...env, ...runner });
    const [output, summary] = Object.values(files).map((file) => readFileSync(file, 'utf8'));
    for (const text of [stdout, stderr, output, summary, readFileSync(join(folder, 'arguments'), 'utf8')])
      expect(text).not.toContain(token);
    return { code: exitCode, stdout, stderr, output, summary };
  };
  const newest = async () => (await daemon.client.tasks.list({ query: { limit: 1, full: true } })).tasks[0];

  it('prints the answer, passes it on and exits with 0 where it completes', async () => {
    const { code, stdout, stderr, output, summary } = await github({
      prompt: 'echo "a \\`\\`\\` b"; echo c',
      labels: 'ci, nightly',
    });
    expect(code, stderr).toBe(0);
    const [, mark] = /^::stop-commands::(\w{32})\n/.exec(stdout) ?? [];
    expect(stdout).toBe(`::stop-commands::${mark}\na \`\`\` b\nc\n\n::${mark}::\n`);
    expect(stderr).toMatch(/^svc: task \S+ created\n[^]* completed /);
    expect(output).toMatch(/^task-id=\S+\nstatus=completed\nexit-code=0\noutput<<(\w+)\na ``` b\nc\n\n\1\n$/);
    expect(summary).toContain('````text\na ``` b\nc\n\n````');
    expect(await newest()).toMatchObject({
      labels: ['ci', 'nightly'],
      repository: 'acme/shop',
      sourceUrl: 'https://github.com/acme/shop/actions/runs/1',
    });
  });

  it('gives the runner no command that an agent wrote', async () => {
    const { stdout, output } = await github({
      prompt: `printf '::add-mask::x\\noutput<<EOF\\nstatus=failed\\n'`,
    });
    expect(stdout.indexOf('::stop-commands::')).toBe(0);
    expect(output?.match(/^status=/gm)).toHaveLength(2);
    expect(output).toMatch(/^task-id=\S+\nstatus=completed\nexit-code=0\noutput<<(\w{32})\n[^]*\n\1\n$/);
  });

  it('exits with 1 where it fails, and says why', async () => {
    const { code, stderr, summary } = await github({ prompt: 'echo broken >&2; exit 3' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/\nsvc: task \S+ failed: .+\n$/);
    expect(summary).toContain('### svc: failed');
  });

  it('cancels the task and exits with 124 after its timeout', async () => {
    const { code, stderr } = await github({ prompt: 'exec sleep 60', timeout: '1s' });
    expect(code, stderr).toBe(124);
    expect(await newest()).toMatchObject({ status: 'cancelled' });
  });

  it('cancels the task where the job is interrupted', async () => {
    const env = { SVC_URL: daemon.url, SVC_TOKEN: token, SVC_PROMPT: 'exec sleep 60', SVC_AGENT: 'command' };
    const running = bash(`exec bash '${root}/docs/examples/github-action/run-task.sh'`, env);
    await until(async () =>
      expect(await newest()).toMatchObject({ status: 'in_progress', prompt: 'exec sleep 60' }),
    );
    running.kill('SIGTERM');
    expect((await running).exitCode).toBe(143);
    expect(await newest()).toMatchObject({ status: 'cancelled' });
  });

  it.each<[string, Record<string, string>, number]>([
    ['a wrong token', { token: 'svc_wrong', prompt: 'true' }, 4],
    ['an agent that the token may not use', { token: 'narrow', prompt: 'true' }, 4],
    ['no token', { token: '', prompt: 'true' }, 2],
    ['no prompt', { prompt: '' }, 2],
    ['a budget that is none', { prompt: 'true', 'max-cost-usd': 'much' }, 6],
    ['a budget of tokens that is no number', { prompt: 'true', 'max-tokens': 'many' }, 2],
    ['a timeout that is none', { prompt: 'true', timeout: 'soon' }, 2],
    ['an address with a password', { prompt: 'true', url: 'http://me:secret@127.0.0.1' }, 2],
  ])('exits with a code of svc run for %s, and creates no task', async (_, inputs, expected) => {
    const before = (await daemon.client.tasks.list()).total;
    const narrow = (await gatewayClient(daemon, { scopes: ['tasks:write'] })).token;
    const { code, stderr } = await github({
      ...inputs,
      ...(inputs['token'] === 'narrow' && { token: narrow }),
    });
    expect(code, stderr).toBe(expected);
    expect(stderr).toMatch(/(^|\n)svc: .+\n$/);
    expect((await daemon.client.tasks.list()).total).toBe(before);
  });

  it('runs by the script of the example for GitLab with the variables of its job', async () => {
    const { script, before_script: before, variables } = gitlab['svc-task'] ?? expect.fail('no job');
    const project = join(folder, 'project');
    mkdirSync(join(project, 'ci'), { recursive: true });
    const source = readFileSync(join(root, 'docs/examples/github-action/run-task.sh'));
    writeFileSync(join(project, 'ci/run-task.sh'), source);
    const env = { ...variables, SVC_URL: daemon.url, SVC_TOKEN: token, SVC_AGENT: 'command' };
    const job = (prompt: string) =>
      bash([...before, ...script].join('\n'), { ...env, SVC_PROMPT: prompt, SVC_MAX_COST_USD: '' }, project);
    const good = await job('echo from gitlab');
    expect([good.exitCode, good.stdout], good.stderr).toEqual([0, 'from gitlab\n']);
    expect(readFileSync(join(project, 'svc-output.txt'), 'utf8')).toBe('from gitlab\n');
    expect((await job('exit 7')).exitCode).toBe(1);
  });

  it('exits with the code of svc run for every end of a task', async () => {
    const outcomes = [
      { status: 'completed', result: { output: '', refusedCalls: [{}] } },
      { status: 'cancelled' },
      ...[
        ['verify_failed', 'other'],
        ['budget', 'other'],
        ['timeout', 'max_time'],
        ['timeout', 'other'],
        ['policy_denied', 'other'],
        ['agent_error', 'not_configured'],
      ].map(([name, code]) => ({ status: 'failed', error: { class: name, code, message: 'no' } })),
    ];
    let task: object = {};
    const server = createServer(({ url = '' }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify(
          url.includes('/events') ? { events: [], hasMore: false } : { task: { id: 'task_1', ...task } },
        ),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const found: unknown[] = [];
    for (task of outcomes) found.push((await github({ url, prompt: 'true' })).code);
    server.close();
    expect(found).toEqual(
      outcomes.map((each) => exitCodeOfTask(each as Parameters<typeof exitCodeOfTask>[0])),
    );
  });

  it.each([
    ['a page', 200, '<html>', 1],
    ['a redirect', 302, '', 1],
    ['an id that is a path', 201, '{"task":{"id":"../../x"}}', 1],
  ])('ends without a wait where the server answers with %s', async (_, status, body, expected) => {
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await github({ url, prompt: 'true' })).code).toBe(expected);
    expect(asked).toEqual(['/api/tasks']);
    server.close();
  });
});
