import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSandbox } from '../../core/tools/commands/command-setup.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';

const script = new URL('../../helpers/agents/scripted-acp-agent.ts', import.meta.url).pathname;
function executable(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}
let daemon: TestDaemon;
let home: string;
beforeAll(async () => {
  home = temporaryFolder();
  daemon = await startDaemon({
    env: { HOME: home },
    flags: { 'agents.added': { scripted: { program: process.execPath, args: [script], env: {} } } },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe.skipIf(!hasSandbox.isWorking)('the sandbox of this machine (needs bubblewrap)', () => {
  it.each([['an agent', 'scripted'] as const, ['commands', undefined] as const])(
    'passes its test for %s, which leaves nothing behind',
    async (_, agent) => {
      const { test } = await daemon.client.sandbox.test({ body: { ...(agent && { agent }) } });
      expect(test.checks.filter(({ passed }) => !passed)).toEqual([]);
      expect(test.passed).toBe(true);
      const names = test.checks.map(({ name }) => name);
      expect(names).toContain(
        agent ? 'The network can be reached, for the model' : 'The network cannot be reached',
      );
      expect(names.includes('git commit works in a worktree')).toBe(agent !== undefined);
      expect(readdirSync(home)).toEqual([]);
    },
  );

  it('shows what a script that starts the agent names, and what it prints if it does not start', async () => {
    const folder = join(temporaryFolder(), 'node_modules', 'agent');
    const bin = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    const real = executable(join(folder, 'agent'), '[ "$1" = --version ] && echo 1.0.0');
    const wrapper = executable(join(bin, 'agent'), `exec ${real} "$@" 2>/dev/null`);
    const missing = executable(join(bin, 'missing'), 'echo "2 yes"; echo "no such agent" >&2; exit 3');
    const set = (program: string) =>
      daemon.client.config.update({ params: { key: 'agents.claude.program' }, body: { value: program } });
    const agent = 'claude';
    await set(wrapper);
    const { sandbox } = await daemon.client.sandbox.explain({ query: { agent } });
    const paths = sandbox.paths.map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
    expect(paths).not.toContain('/dev/null');
    const { test: works } = await daemon.client.sandbox.test({ body: { agent } });
    expect(works.checks.filter(({ passed }) => !passed)).toEqual([]);
    await set(missing);
    const { test: fails } = await daemon.client.sandbox.test({ body: { agent } });
    expect(fails.checks.filter(({ passed }) => !passed)).toEqual([
      { name: 'Claude Code starts', passed: false, detail: 'no such agent' },
    ]);
  });

  it('is explained, without a change of the home directory', async () => {
    const { sandbox } = await daemon.client.sandbox.explain({ query: { agent: 'codex' } });
    expect(sandbox).toMatchObject({ agent: 'codex', isWorking: true, network: true });
    expect(sandbox.paths).toContainEqual({
      path: daemon.home,
      access: 'none',
      why: 'the data of the daemon',
    });
    expect(sandbox.paths).toContainEqual({
      path: join(home, '.cache'),
      access: 'memory',
      why: 'for caches of tools',
    });
    expect(existsSync(join(home, '.codex'))).toBe(false);
    const commands = await daemon.client.sandbox.explain({ query: {} });
    expect(commands.sandbox.network).toBe(false);
  });

  it('says why there is none and what to do', async () => {
    await daemon.client.config.update({ params: { key: 'agents.sandbox' }, body: { value: 'off' } });
    const { sandbox } = await daemon.client.sandbox.explain({ query: { agent: 'scripted' } });
    const { test } = await daemon.client.sandbox.test({ body: { agent: 'scripted' } });
    await daemon.client.config.update({ params: { key: 'agents.sandbox' }, body: { value: 'on' } });
    expect(sandbox).toMatchObject({
      isWorking: false,
      reason: 'the setting agents.sandbox is off',
      hint: 'Turn it on: svc config set agents.sandbox on',
      modes: ['ask', 'full'],
    });
    expect(test).toMatchObject({ passed: false, checks: [] });
  });
});

it('refuses an agent that there is not', async () => {
  await expect(daemon.client.sandbox.explain({ query: { agent: 'nobody' } })).rejects.toMatchObject({
    status: 404,
  });
});
