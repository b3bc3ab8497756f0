import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpProgram } from '../../helpers/agents/acp-settings.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

let home: SvcHome;
const { program, args } = acpProgram();

beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  await home.svc(['agents', 'add', 'demo', '--acp', '--', program, ...args]);
}, 180_000);
afterAll(() => home[Symbol.asyncDispose]());

describe('svc agents ls', () => {
  it('lists what is installed first and ends with the next steps, within 80 columns', async () => {
    const { stdout, stderr, code } = await home.svc(['agents', 'ls']);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^NAME +DRIVER +VERSION +LOGIN +STATE$/);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    expect(stdout).toMatch(/^demo +acp +1\.2\.3 +ready$/m);
    expect(stdout).toMatch(/^command +built in +ready$/m);
    expect(stdout).toMatch(/^http +built in +not configured$/m);
    const absent = lines.findIndex((line) => line.includes('not installed'));
    expect(lines.slice(absent).every((line) => line.includes('not installed'))).toBe(true);
    expect(stderr).toMatch(
      /^http +It needs the address of the agent: svc config set agents\.http\.url URL$/m,
    );
  });
});

describe('svc agents show', () => {
  it('shows an agent and the commands that change it', async () => {
    const { stdout } = await home.svc(['agents', 'show', 'builtin']);
    expect(stdout).toMatch(/^Driver +built in$/m);
    expect(stdout).toMatch(/^Limits +100 steps per task$/m);
    expect(stdout).toContain('svc config set agents.builtin.model MODEL');
    const demo = await home.svc(['agents', 'show', 'demo', '--json']);
    expect(JSON.parse(demo.stdout)).toMatchObject({ agent: { type: 'demo', args, version: '1.2.3' } });
  });

  it('names the closest agent', async () => {
    const { code, stderr } = await home.svc(['agents', 'show', 'dem']);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: 'svc: There is no agent "dem". Did you mean demo? See: svc agents ls\n',
    });
  });
});

describe('svc agents add and rm', () => {
  it('adds an agent with a secret that is never shown, and removes it', async () => {
    const added = await home.svc(
      ['agents', 'add', 'other', '--acp', '--env', 'OTHER_KEY', '--', program, ...args, '--chatty'],
      { env: { OTHER_KEY: 'planted-secret' } },
    );
    expect(added).toMatchObject({ code: 0, stderr: 'other added. Test it: svc agents test other\n' });
    const shown = await home.svc(['agents', 'show', 'other']);
    expect(shown.stdout).toMatch(/^Variables +OTHER_KEY$/m);
    expect(shown.stdout).not.toContain('planted-secret');
    expect((await home.svc(['agents', 'add', 'other', '--', 'x'])).code).toBe(6);
    // The secret of the other one stays while this one changes.
    await home.svc(['agents', 'add', 'third', '--', program, ...args]);
    expect((await home.svc(['agents', 'rm', 'third'])).stderr).toBe('Agent removed.\n');
    expect((await home.svc(['agents', 'test', 'other'])).stdout).toMatch(
      /^- Denied command .* without asking/m,
    );
    expect((await home.svc(['agents', 'rm', 'other'])).code).toBe(0);
    expect((await home.svc(['agents', 'rm', 'other'])).code).toBe(5);
  });

  it('warns if the program was not found', async () => {
    const { stderr } = await home.svc(['agents', 'add', 'ghost', '--', 'no-such-program', 'acp']);
    expect(stderr).toMatch(/^! no-such-program, the program of the agent "ghost", was not found\. /);
    await home.svc(['agents', 'rm', 'ghost']);
  });

  it.each([
    [
      'claude',
      'claude comes with svc and cannot be added. See the commands that change it: svc agents show claude',
    ],
    ['Bad', '"Bad" cannot be the name of an agent. Expected lower-case letters'],
  ])('refuses the name %s', async (name, text) => {
    const { code, stderr } = await home.svc(['agents', 'add', name, '--', 'x']);
    expect(code).toBe(6);
    expect(stderr).toContain(text);
    expect((await home.svc(['agents', 'rm', name])).code).not.toBe(0);
  });
});

describe('svc agents test', () => {
  it('prints each step and says how to use the agent', async () => {
    const { stdout, stderr, code } = await home.svc(['agents', 'test', 'demo']);
    expect(code).toBe(0);
    expect(stdout.match(/^✓/gm)).toHaveLength(6);
    expect(stdout).toMatch(/Denied command .* asked, was denied, and ran nothing$/m);
    expect(stderr).toContain('demo works. Use it: svc run -a demo "…"');
  });

  it('exits with 1 when a step fails', async () => {
    const { stdout, code } = await home.svc(['agents', 'test', 'claude', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      agent: 'claude',
      ok: false,
      steps: expect.arrayContaining([
        { name: 'version', status: 'failed', message: expect.any(String), durationMs: expect.any(Number) },
      ]),
    });
  });
});

describe('svc run with a coding agent', () => {
  it('names the command that installs the agent', async () => {
    const { code, stderr } = await home.svc(['run', '-a', 'codex', 'hello']);
    expect({ code, stderr }).toEqual({
      code: 78,
      stderr:
        'svc: Codex is not installed, or not in the PATH of the daemon. Install it: npm install -g @openai/codex\n',
    });
  });

  it('continues a session by a part of the id, in the directory of the session', async () => {
    const cwd = join(home.folder, 'project');
    mkdirSync(cwd);
    const first = await home.svc(['run', '-q', '-a', 'demo', 'hello'], { cwd });
    const id = first.stdout.trim();
    const completed = await home.svc(['__complete', '--', 'run', '--continue', '']);
    expect(completed.stdout).toContain(id);
    const second = await home.svc(['run', '--json', '--continue', id.slice(-8), 'and now?']);
    expect(JSON.parse(second.stdout)).toMatchObject({
      task: { status: 'completed', continues: id, agentType: 'demo', cwd },
    });
    const sessions = await home.svc(['agents', 'sessions']);
    expect(sessions.stdout).toMatch(/^TASK +AGENT +AGE +DIRECTORY +TITLE\n.* demo .*project +and now\?\n$/);
    expect((await home.svc(['tasks', 'show', id])).stdout).toMatch(/^Agent +demo 1\.2\.3\nSession +ses-/m);
  });

  it('refuses to continue what has no session', async () => {
    const { stdout } = await home.svc(['run', '-q', '-a', 'command', '--', 'true']);
    const { code, stderr } = await home.svc(['run', '--continue', stdout.trim(), 'more']);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: 'svc: The agent "command" keeps no session, so its task cannot be continued.\n',
    });
  });
});
