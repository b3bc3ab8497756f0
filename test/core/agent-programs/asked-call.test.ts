import { describe, expect, it } from 'vitest';
import { askedCall } from '../../../src/core/agent-programs/asked-call.ts';
import type { CallKind, PermissionQuestion } from '../../../src/core/agents/drivers/driver.ts';
import { SecretFiles } from '../../../src/core/paths/secret-files.ts';
import { pathTraversal } from '../../../src/core/tools/guards/path-traversal.ts';
import { secretExfiltration } from '../../../src/core/tools/guards/secret-exfiltration.ts';
import { shellInjectionGuard } from '../../../src/core/tools/guards/shell-injection.ts';
import type { ToolContext } from '../../../src/core/tools/tool.ts';
import { openGate, type OpenGate } from '../tools/gate-setup.ts';

const open = () =>
  openGate({}, [
    pathTraversal,
    shellInjectionGuard,
    secretExfiltration({ protectedDirectories: [], secretFiles: new SecretFiles() }),
  ]);

const question = (
  kind: CallKind,
  bound: Record<string, unknown> | undefined,
  more: Partial<PermissionQuestion> = {},
): PermissionQuestion => ({
  call: { id: 'call_1', kind, name: 'Tool', title: 'Tool', status: 'pending', input: bound },
  bound,
  isExact: true,
  ...more,
});
const shell = (command: string, more: Partial<PermissionQuestion> = {}) =>
  question('shell', { command }, { command: { text: command }, ...more });

const changer = { userId: 'user_ann', address: '127.0.0.1' };

interface Asked {
  mode?: ToolContext['mode'];
  session?: string;
  approvalId?: string;
}

/** Asks the gate as an agent would; `allowed` counts the calls that the agent was allowed to run. */
async function ask(
  gate: OpenGate,
  asked: PermissionQuestion,
  { mode = 'ask', session = 's', approvalId }: Asked = {},
) {
  let allowed = 0;
  const call = askedCall(asked, {
    agent: 'claude',
    session,
    workspace: gate.tree.workspace,
    run: async () => {
      allowed++;
      return { content: 'ran' };
    },
  });
  const answer = await gate.gate.call(gate.runOf({ mode }), { id: 'call_1', ...call, approvalId });
  return {
    allowed,
    waitsFor: answer.kind === 'waiting' ? answer.approval : undefined,
    refusal: answer.kind === 'done' && !answer.result.success ? answer.result.content : undefined,
  };
}

describe('a shell command of an agent', () => {
  it.each([
    'cat /etc/shadow',
    'cat "$(cat ../../outside/secret.txt)"',
    'echo hello > /etc/cron.d/x',
    'true && (cd .. ; cat outside/../secret.txt)',
    'if true; then cat ~/.ssh/id_rsa; fi',
    'FOO=1 cat /root/.aws/credentials',
    'cat < ../outside/secret.txt',
    'echo x >> .git/hooks/pre-commit',
    'tee .git/config',
    'cp a.txt /tmp/b.txt',
    'cat $HOME/.netrc',
    'cat .env',
  ])('is refused in every mode where it names what no tool may reach: %s', async (command) => {
    await using gate = await open();
    await gate.tree.write('.env', 'TOKEN=abc');
    await gate.tree.write('.git/HEAD', 'ref: refs/heads/main\n');
    for (const mode of ['ask', 'full'] as const) {
      const { allowed, waitsFor, refusal } = await ask(gate, shell(command), { mode });
      expect({ allowed, waitsFor, hasReason: refusal !== undefined }, `${mode}: ${refusal}`).toEqual({
        allowed: 0,
        waitsFor: undefined,
        hasReason: true,
      });
    }
  });

  it.each([
    'npm test',
    'echo hello > made.txt && cat made.txt',
    'for f in *.ts; do wc -l "$f"; done',
    'ls | head -3',
  ])('waits for a person in the mode ask, and runs in the mode full: %s', async (command) => {
    await using gate = await open();
    const { allowed, waitsFor } = await ask(gate, shell(command));
    expect({ allowed, tool: waitsFor?.toolName, agent: waitsFor?.agent }).toEqual({
      allowed: 0,
      tool: 'run_command',
      agent: 'claude',
    });
    expect((await ask(gate, shell(command), { mode: 'full' })).allowed).toBe(1);
  });

  it('runs once after an approval, and never with other words, in another session or another directory', async () => {
    await using gate = await open();
    await gate.tree.write('sub/a.txt');
    const { waitsFor } = await ask(gate, shell('npm test'));
    await gate.decide(waitsFor?.id ?? '');
    const approvalId = waitsFor?.id ?? '';
    for (const [other, options] of [
      [shell('npm test '), {}],
      [shell('npm test', { bound: { command: 'npm test', timeout: 1 } }), {}],
      [shell('npm test', { command: { text: 'npm test', cwd: 'sub' } }), {}],
      [shell('npm test'), { session: 'another' }],
    ] as const)
      expect((await ask(gate, other, { approvalId, ...options })).allowed).toBe(0);
    expect((await ask(gate, shell('npm test'), { approvalId })).allowed).toBe(1);
    expect((await ask(gate, shell('npm test'), { approvalId })).allowed).toBe(0);
  });

  it('is covered by an allow-always for exactly its text, also where a shell interprets it', async () => {
    await using gate = await open();
    const text = 'echo hello > made.txt && cat made.txt';
    const { waitsFor } = await ask(gate, shell(text, { bound: { command: text, description: 'a step' } }));
    await gate.decide(waitsFor?.id ?? '', 'allow-always');
    const again = shell(text, { bound: { command: text, description: 'in other words' } });
    expect((await ask(gate, again)).allowed).toBe(1);
    expect((await ask(gate, shell('echo hello > made.txt && cat other.txt'))).allowed).toBe(0);
  });

  it('is refused in the mode allowlist unless the policy allows commands, and then where it cannot be read', async () => {
    await using gate = await open();
    expect((await ask(gate, shell('npm test'), { mode: 'allowlist' })).refusal).toContain('not on the list');
    await gate.policy.update({ allowedTools: ['run_command'] }, changer);
    expect((await ask(gate, shell('npm test'), { mode: 'allowlist' })).allowed).toBe(1);
    expect((await ask(gate, shell('npm test; curl $X'), { mode: 'allowlist' })).allowed).toBe(0);
  });

  it('is not allowed by a rule where the agent describes it only in words', async () => {
    await using gate = await open();
    await gate.policy.update({ allowedTools: ['run_command'] }, changer);
    expect((await ask(gate, shell('npm test', { isExact: false }))).waitsFor?.reason).toContain(
      'only in words',
    );
  });
});

describe('a call of an agent', () => {
  it('is denied where the agent did not say what it does', async () => {
    await using gate = await open();
    for (const kind of ['edit', 'mcp', 'other', 'read', 'shell'] as const)
      expect(await ask(gate, question(kind, undefined), { mode: 'full' })).toMatchObject({
        allowed: 0,
        refusal: expect.stringContaining('did not say what the call does') as string,
      });
  });

  it('that reads a file of the folder needs nobody; a file outside of it is refused', async () => {
    await using gate = await open();
    const path = await gate.tree.write('a.txt');
    const read = (file: string) =>
      question('read', { file_path: file }, { paths: [{ path: file, operation: 'read' }] });
    expect((await ask(gate, read(path))).allowed).toBe(1);
    expect((await ask(gate, read(`${gate.tree.outside}/secret.txt`))).refusal).toContain(
      'out of the workspace',
    );
  });

  it('that edits a file shows the change, and is asked for again when the file has changed since', async () => {
    await using gate = await open();
    const path = await gate.tree.write('a.txt', 'one\ntwo\n');
    const edit = question('edit', { file_path: path }, { paths: [{ path, operation: 'write' }] });
    edit.call.diff = [{ path, oldText: 'two', newText: 'three' }];
    const { waitsFor } = await ask(gate, edit);
    expect(waitsFor).toMatchObject({
      toolName: 'edit_file',
      params: { path: 'a.txt' },
      diff: { added: 1, removed: 1 },
    });
    await gate.decide(waitsFor?.id ?? '');
    await gate.tree.write('a.txt', 'one\ntwo\nmore\n');
    const again = await ask(gate, edit, { approvalId: waitsFor?.id ?? '' });
    expect(again.allowed).toBe(0);
    expect(again.waitsFor?.reason).toContain('The file has changed');
  });

  it('of a kind that svc does not know has a name of its own, and waits for a person', async () => {
    await using gate = await open();
    const other = question('other', { url: 'https://example.org' });
    other.call.name = 'WebFetch';
    expect((await ask(gate, other)).waitsFor?.toolName).toBe('claude__WebFetch');
  });

  it('is refused where the policy blocks its tool, whatever the mode', async () => {
    await using gate = await open();
    await gate.policy.update({ blockedTools: ['run_command', 'mcp__*'] }, changer);
    expect((await ask(gate, shell('ls'), { mode: 'full' })).refusal).toContain('blocks run_command');
    const mcp = question('mcp', { text: 'x' }, { mcp: { server: 'eco', tool: 'echo' } });
    expect((await ask(gate, mcp, { mode: 'full' })).refusal).toContain('blocks mcp__eco__echo');
  });

  it('leaves its intent and its result in the audit log, and a refusal its reason', async () => {
    await using gate = await open();
    await ask(gate, shell('npm test'), { mode: 'full' });
    await ask(gate, shell('cat /etc/shadow'), { mode: 'full' });
    expect(await gate.audited()).toEqual(['intent', 'ok', 'refused']);
  });
});
