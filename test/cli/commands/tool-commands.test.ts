import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Approval } from '../../../src/contract/approvals.ts';
import { type ContractServer, startContractServer } from '../../helpers/contract-server.ts';
import { ToolWorld } from '../../helpers/tool-world.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

let home: SvcHome;
let world: ToolWorld;
let server: ContractServer;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  return () => home[Symbol.asyncDispose]();
});
beforeEach(async () => {
  world = new ToolWorld();
  server = await startContractServer(world.answers());
});
afterEach(() => server[Symbol.asyncDispose]());

const svc = (...args: string[]) => home.svc([...args, '--url', server.url]);
const shortOf = ({ id }: Approval) => id.slice('appr_'.length, -2);

describe('svc approvals', () => {
  it('shows pending calls in full and escapes their values', async () => {
    const content = `first\n  Directory  /safe\n\u001b[2Jlast ${'x'.repeat(200)}`;
    const asked = world.ask({
      toolName: 'write_file',
      params: { path: 'src/a.ts', content, mode: 420 },
      conversationId: 'conv_1',
    });
    const { code, stdout, stderr } = await svc('approvals', 'ls');
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n')).toEqual([
      `write_file  ${asked.id}`,
      '  Arguments  path: src/a.ts',
      '             content:',
      '               first',
      '                 Directory  /safe',
      String.raw`               \x1b[2Jlast ${'x'.repeat(200)}`,
      '             mode: 420',
      '  Directory  /srv/app',
      '  Reason     npm runs other programs',
      '  From       conv_1',
      '  Risk       high',
      expect.stringMatching(/^ {2}Requested {2}\d{4}-.*\(\d s ago\)$/),
      '  Time left  10 min',
      '',
    ]);
    expect(stderr).toContain(`svc approvals allow ${asked.id}`);
  });

  it('lists decided approvals, and bare IDs with --quiet', async () => {
    const [first, second] = [world.ask(), world.ask({ params: { command: 'ls' } })];
    world.decide(first.id, 'deny');
    const table = await svc('approvals', 'ls', '--all');
    expect(table.stdout).toMatch(
      /ID +STATUS +REQUESTED +CALL +FROM\n\S+ +pending .* run_command ls\n\S+ +denied/,
    );
    expect((await svc('approvals', 'ls', '-q')).stdout).toBe(`${second.id}\n`);
    expect(JSON.parse((await svc('approvals', 'ls', '--json')).stdout)).toEqual({ approvals: [second] });
    expect((await svc('approvals', 'show', first.id)).stdout).toMatch(/Status +deny\n +Decided +\d{4}-/);
  });

  it('reports that no approval is pending', async () => {
    expect(await svc('approvals', 'ls')).toMatchObject({ code: 0, stdout: '' });
    expect(await svc('approvals', 'deny', '--all')).toMatchObject({
      code: 0,
      stderr: 'No pending approvals.\n',
    });
  });

  it('allows an approval by an ID prefix that is unique among the pending ones', async () => {
    const old = world.ask();
    world.decide(old.id, 'deny');
    const asked = world.ask();
    const { code, stdout, stderr } = await svc('approvals', 'allow', shortOf(asked));
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${asked.id}\n` });
    expect(stderr).toMatch(/Arguments +command: npm test[^]*\nAllowed run_command once\.\n$/);
    expect(world.approvals[1]?.decision).toBe('allow-once');
  });

  it('allows an approval always', async () => {
    const asked = world.ask({ conversationId: 'conv_1' });
    const { stderr } = await svc('approvals', 'allow', asked.id, '--always');
    expect(stderr).toContain('Allowed run_command for the rest of this conversation.');
    expect(world.approvals[0]?.decision).toBe('allow-always');
  });

  it('says what always covers, and allows a whole tool only where that is asked for', async () => {
    const covers = 'ls, with any arguments that only read';
    const [kind, nothing, whole] = [
      world.ask({ conversationId: 'conv_1', alwaysCovers: covers }),
      world.ask({ taskId: 'task_1', alwaysCovers: 'nothing: such a command needs an approval each time' }),
      world.ask({ taskId: 'task_1', alwaysCovers: covers }),
    ];
    expect((await svc('approvals', 'show', kind.id)).stdout).toContain(`  Always     ${covers}\n`);
    const { stderr } = await svc('approvals', 'allow', kind.id, '--always');
    expect(stderr).toContain(`Allowed for the rest of this conversation: ${covers}.`);
    const once = await svc('approvals', 'allow', nothing.id, '--always');
    expect(once.stderr).toContain('Allowed run_command once: such a command needs an approval each time.');
    const tool = await svc('approvals', 'allow', whole.id, '--whole-tool');
    expect(tool.stderr).toContain('Allowed every call of run_command for the rest of this task.');
    expect(world.coverages).toEqual(['kind', 'kind', 'tool']);
  });

  it('allows a call with other arguments, from JSON, a file or stdin', async () => {
    const changed = { command: 'npm run lint' };
    const text = JSON.stringify(changed);
    const file = join(home.folder, 'changed.json');
    writeFileSync(file, text);
    for (const [given, stdin] of [[text], [file], ['-', text]] as const) {
      const args = ['approvals', 'allow', world.ask().id, '--arguments', given, '--url', server.url];
      const { code, stderr } = await home.svc(args, stdin === undefined ? {} : { stdin });
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: 'Allowed run_command once, with your arguments.\n',
      });
    }
    expect(world.edits).toEqual([changed, changed, changed]);
    expect(world.approvals.map(({ decision }) => decision)).toEqual([
      'allow-once',
      'allow-once',
      'allow-once',
    ]);
  });

  it('shows the change of a file with its line numbers', async () => {
    const { id } = world.ask({
      toolName: 'edit_file',
      params: { path: 'a.ts', oldText: 'old', newText: 'new' },
      diff: { path: 'a.ts', added: 1, removed: 1, text: '@@ -9,2 +9,2 @@\n kept\n-old\n+new\n' },
    });
    const { stdout } = await svc('approvals', 'show', id);
    expect(stdout).toMatch(
      /Arguments +path: a\.ts\n +Change +\+1 −1\n +9 {3}kept\n +10 - old\n +10 \+ new\n/,
    );
    expect(stdout).not.toContain('oldText');
  });

  it('shows everything hidden, and names of arguments that imitate others in quotes', async () => {
    world.ask({
      toolName: 'run\u3164_command',
      params: { 'command: ls\n  Directory': 'x', command: 'rm\u034f -rf\u00a0src', 'c\u17b4ommand': 'y' },
      reason: 'It is\ufe0f so',
      cwd: '/srv\u200b/app',
      scripts: [{ path: '/srv/\u2800x.sh', sha256: 'ab'.repeat(32) }],
    });
    const { stdout } = await svc('approvals', 'ls');
    for (const shown of [
      String.raw`run\u{3164}_command`,
      String.raw`"command: ls\\n  Directory": x`,
      String.raw`command: rm\u{34f} -rf\xa0src`,
      String.raw`"c\u{17b4}ommand": y`,
      String.raw`It is\u{fe0f} so`,
      String.raw`/srv\u{200b}/app`,
      String.raw`/srv/\u{2800}x.sh`,
      `sha256:${'ab'.repeat(32)}`,
    ])
      expect(stdout).toContain(shown);
    expect(stdout).not.toMatch(/\u034f|\u3164|\u00a0|\u17b4|\ufe0f|\u200b|\u2800/);
    expect(stdout.match(/^ {2}Directory/gm)).toHaveLength(1);
    expect((await svc('approvals', 'ls', '--all')).stdout).not.toMatch(/\u034f|\u3164|\u00a0|\u17b4/);
  });

  it('denies several approvals, or all', async () => {
    const asked = [world.ask(), world.ask(), world.ask()] as const;
    const two = await svc('approvals', 'deny', asked[0].id, asked[1].id);
    expect(two).toMatchObject({ code: 0, stdout: `${asked[0].id}\n${asked[1].id}\n` });
    expect((await svc('approvals', 'deny', '--all')).stdout).toBe(`${asked[2].id}\n`);
    expect(world.approvals.map(({ status }) => status)).toEqual(['denied', 'denied', 'denied']);
  });

  it.each([
    [['allow', '0abc'], 5, /There is no approval "0abc"\. See them: svc approvals ls --all/],
    [['show', 'appr_01a1fc43-0e60-790c-9e24-000000000009'], 5, /There is no approval/],
    [['deny'], 2, /Specify approvals, or pass --all/],
    [['allow', 'x', '--always', '--arguments', '{}'], 2, /Changed arguments can only be allowed once/],
    [['allow', 'x', '--arguments', 'nothing.json'], 6, /nothing\.json cannot be read/],
    [['allow', 'x', '--arguments', '{"a"'], 6, /The arguments are not valid JSON/],
    [['edit', 'x'], 2, /There is no terminal for an editor\. Pass the arguments: svc approvals allow/],
    [['deny', 'x', '--all'], 2, /Specify approvals, or pass --all/],
    [['allow', '01a1'], 6, /matches several approval IDs/],
  ] as const)('svc approvals %j exits with %i', async (args, code, stderr) => {
    world.ask();
    world.ask();
    expect(await svc('approvals', ...args)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(stderr),
    });
  });

  it('exits with 6 when the approval is already decided', async () => {
    const asked = world.ask();
    world.decide(asked.id, 'deny');
    expect(await svc('approvals', 'allow', shortOf(asked))).toMatchObject({
      code: 6,
      stderr: 'svc: The approval is already denied.\n',
    });
  });

  it('completes the IDs of pending approvals', async () => {
    const asked = world.ask();
    const { stdout } = await home.svc(['__complete', 'approvals', 'allow', ''], {
      env: { SVC_URL: server.url },
    });
    expect(stdout).toBe(`${asked.id}\trun_command npm test\n`);
  });
});

describe('svc policy', () => {
  const set = (options: string) => svc('policy', 'set', ...options.split(' '));
  const tool = {
    description: '',
    inputSchema: {},
    readOnly: false,
    danger: 'high',
    source: 'builtin',
  } as const;

  it('shows the tool policy', async () => {
    expect((await svc('policy', 'show')).stdout).toBe(
      'Mode               ask: tools need approval, unless they are allowed\n' +
        'Allowed            read_file\n' +
        'Blocked            none\n' +
        'Approval required  run_command\n' +
        'Audit log          calls and their results\n',
    );
  });

  it('changes only the named policy fields and reports each change', async () => {
    world.tools = ['read_file', 'list_files', 'run_command'].map((name) => ({
      ...tool,
      name,
      available: true,
    }));
    const { code, stdout, stderr } = await set(
      '--mode allowlist --allow list_files read_file --disallow nothing --block web_* --no-approval run_command',
    );
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        'mode: ask → allowlist (only the allowed tools)\n' +
        'allowed: + list_files\nblocked: + web_*\napproval required: - run_command\n',
      stderr: '',
    });
    expect(world.policy).toEqual({
      defaultMode: 'allowlist',
      allowedTools: ['read_file', 'list_files'],
      blockedTools: ['web_*'],
      requireApprovalFor: [],
      auditAll: true,
    });
  });

  it('sends no request when the policy does not change', async () => {
    expect(await svc('policy', 'set', '--mode', 'ask', '--unblock', 'x')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'The policy is unchanged.\n',
    });
    expect(server.asked.map(({ route }) => route)).toEqual(['GET /api/security/policy']);
  });

  it('warns about policy rules without effect', async () => {
    world.tools = [{ ...tool, name: 'run_command', available: true }];
    world.policy.allowedTools.push('web_*');
    const { stderr } = await svc(
      'policy',
      'set',
      '--block',
      'run_comand',
      'read_file',
      '--disallow',
      'web_fetch',
    );
    expect(stderr).toBe(
      '! No tool is currently named run_comand. Did you mean run_command?\n' +
        '! No tool is currently named read_file. See: svc tools ls\n' +
        '! read_file is both allowed and blocked; blocking takes precedence.\n' +
        '! web_fetch still matches web_* (allowed).\n',
    );
  });

  it.each([
    [[], /Nothing to change/],
    [['--mode', 'alowlist'], /Did you mean allowlist\?/],
    [['--mode', 'x'], /Allowed choices are deny, sandbox, allowlist, ask, full/],
    [['--allow', 'x', '--disallow', 'x'], /x cannot be both added to and removed from "allowed"/],
  ] as const)('rejects the policy arguments %j as wrong usage', async (args, stderr) => {
    expect(await svc('policy', 'set', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(stderr),
    });
  });
});

describe('svc guards', () => {
  it('lists guards', async () => {
    expect((await svc('guards', 'ls')).stdout).toMatch(
      /^NAME +STATE +DESCRIPTION\npath-traversal +enabled +Keeps tools inside the workspace\n/,
    );
  });

  it('disables a guard only after confirmation', async () => {
    const refused = await svc('guards', 'disable', 'rate-limit');
    expect(refused).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('Skip the prompt: --yes') as string,
    });
    expect(refused.stderr).toContain('weakens protection');
    expect(world.guards[1]?.enabled).toBe(true);
    expect((await svc('guards', 'disable', 'rate-limit', '--yes')).code).toBe(0);
    expect(world.guards[1]?.enabled).toBe(false);
    expect((await svc('guards', 'disable', 'rate-limit')).stderr).toBe('rate-limit is already disabled.\n');
    expect((await svc('guards', 'enable', 'rate-limit')).stderr).toBe('Enabled rate-limit.\n');
    expect(world.guards[1]?.enabled).toBe(true);
  });

  it('suggests the closest guard name', async () => {
    expect(await svc('guards', 'enable', 'rate-limt')).toMatchObject({
      code: 5,
      stderr: 'svc: There is no guard "rate-limt". Did you mean rate-limit? See them: svc guards ls\n',
    });
  });
});

describe('svc tools', () => {
  it('lists tools with the policy that restricts them, and the servers', async () => {
    const common = { description: 'Does it.\nMore.', inputSchema: {} };
    world.tools = [
      { ...common, name: 'read_file', readOnly: true, danger: 'low', source: 'builtin', available: true },
      {
        ...common,
        name: 'create_issue',
        readOnly: false,
        danger: 'medium',
        source: 'mcp',
        server: 'github',
        available: false,
        reason: 'github is not connected',
      },
    ];
    world.servers = [
      { name: 'github', transport: 'http', connected: false, tools: 1, message: 'It answers with 401' },
    ];
    const { stdout } = await svc('tools', 'ls');
    expect(stdout).toBe(
      'NAME          KIND                    RISK    STATE                    DESCRIPTION\n' +
        'read_file     built-in, read-only     low     available                Does it.\n' +
        'create_issue  mcp github, read-write  medium  github is not connected  Does it.\n' +
        '\n' +
        'MCP SERVER  TRANSPORT  TOOLS  STATE\n' +
        'github      http           1  not connected: It answers with 401\n',
    );
    expect((await svc('tools', 'ls', '-q')).stdout).toBe('read_file\ncreate_issue\n');
  });
});

describe('svc tasks', () => {
  it('says for which approval a task waits, and until when', async () => {
    const created = world.created();
    const running = home.svc(['run', '--detach', 'fix it', '--url', server.url]);
    const { id } = await created;
    await running;
    const { expiresAt } = world.askInTask();
    const expected = new RegExp(
      `approval of run_command, until ${expiresAt}  \\(10 min left\\)`.replaceAll('.', String.raw`\.`),
    );
    const shown = await svc('tasks', 'show', id);
    expect(shown.stdout).toMatch(expected);
    expect(shown.stderr).toContain(`svc approvals allow ${world.approvals[0]?.id}`);
    const listed = await svc('tasks', 'ls');
    expect(listed.stderr).toMatch(expected);
    expect(listed.stderr).toContain('svc approvals ls');
    world.decide(world.approvals[0]?.id ?? '', 'allow-once');
    expect((await svc('tasks', 'show', id)).stdout).not.toContain('approval of');
    expect((await svc('tasks', 'ls')).stderr).toBe('');
  });
});
