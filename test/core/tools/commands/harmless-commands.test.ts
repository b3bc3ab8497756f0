import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';
import { runCommandTool } from '../../../../src/core/tools/commands/run-command.ts';
import { pathTraversal } from '../../../../src/core/tools/guards/path-traversal.ts';
import { secretExfiltration } from '../../../../src/core/tools/guards/secret-exfiltration.ts';
import { shellInjectionGuard } from '../../../../src/core/tools/guards/shell-injection.ts';
import { SecretFiles } from '../../../../src/core/paths/secret-files.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { everyNth, sized } from '../../../helpers/long.ts';
import { openGate } from '../gate-setup.ts';
import { hasSandbox, noSandbox, path as searchPath } from './command-setup.ts';

const path = `${dirname(process.execPath)}:${searchPath}`;
const corpus = new URL('../../../fixtures/commands/', import.meta.url);
const commandsOf = async (name: string) =>
  (await readFile(new URL(`${name}.txt`, corpus), 'utf8')).split('\n').filter((line) => /^[^#]/.test(line));

interface Setup {
  sandbox: Sandbox;
  unsandboxed?: 'ask' | 'allow';
  isAdmin?: boolean;
}

/** A project under version control, and a way to call `run_command` in it through the gate, in the mode full. */
async function openProject({ sandbox, unsandboxed = 'ask', isAdmin = true }: Setup) {
  const secretFiles = new SecretFiles();
  const tool = runCommandTool({
    sandbox,
    env: { PATH: path },
    installation: 'test',
    runtime: systemRuntime,
    unsandboxed: () => unsandboxed,
    secretFiles,
  });
  const guards = [
    pathTraversal,
    shellInjectionGuard,
    secretExfiltration({ protectedDirectories: [], secretFiles }),
  ];
  const open = await openGate(tool, guards);
  const { tree } = open;
  await tree.write('package.json', '{"name": "x", "scripts": {"test": "true"}}\n');
  await tree.write('README.md', 'Read me: first\nand then\n');
  await tree.write(
    'src/index.ts',
    "import { util } from './lib/util.ts';\nexport const x = util(1); // TODO\n",
  );
  await tree.write('src/lib/util.ts', 'export const util = (a) => a;\n');
  await tree.write('docs/a.md', 'text\n');
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@x.org', ...args], { cwd: tree.workspace });
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'first'],
  ])
    git(...args);
  return {
    ...open,
    /** Whether the command ran; otherwise why not. */
    async run(command: string): Promise<string | true> {
      const answer = await open.call(
        { name: 'run_command', args: { command } },
        open.runOf({ mode: 'full', mayRunCommands: isAdmin }),
      );
      if (answer.kind === 'waiting') return 'asked';
      const { success, content } = answer.result;
      return success || content.startsWith('There is no program') || content;
    },
  };
}

async function refusedOf(commands: string[], setup: Setup): Promise<string[]> {
  await using project = await openProject(setup);
  const refused: string[] = [];
  for (const command of commands) {
    const ran = await project.run(command);
    if (ran !== true) refused.push(`${command}: ${ran}`);
  }
  return refused;
}

const inSandbox = () => new Sandbox({ path, home: '/root', hiddenDirectories: [] });

describe('commands that only read', () => {
  it.runIf(hasSandbox.isWorking)(
    'run unasked in the sandbox',
    async () => {
      const commands = everyNth(14, await commandsOf('harmless'));
      const refused = await refusedOf(commands, { sandbox: inSandbox() });
      expect(commands.length).toBeGreaterThanOrEqual(sized(10, 150));
      expect(refused.length / commands.length, refused.join('\n')).toBeLessThanOrEqual(0.02);
    },
    240_000,
  );

  it.each([true, false])(
    'run unasked without a sandbox, administrator: %s',
    async (isAdmin) => {
      const commands = everyNth(14, await commandsOf('harmless'));
      const refused = await refusedOf(commands, { sandbox: noSandbox(), isAdmin });
      expect(refused.length / commands.length, refused.join('\n')).toBeLessThanOrEqual(0.1);
    },
    240_000,
  );

  it('search a workspace without a sandbox only if it holds no secrets', async () => {
    await using project = await openProject({ sandbox: noSandbox() });
    expect(await project.run('grep -rn export .')).toBe(true);
    await project.tree.write('deep/er/.env', 'A=b');
    expect(await project.run('grep -rn export .')).toBe('asked');
    expect(await project.run('grep -n export src/index.ts')).toBe(true);
  });
});

describe('commands that do more', () => {
  it('do not run as part of a chain, with or without a sandbox', async () => {
    for (const sandbox of [noSandbox(), ...(hasSandbox.isWorking ? [inSandbox()] : [])]) {
      const commands = await commandsOf('not-harmless');
      const refused = await refusedOf(commands, { sandbox });
      const ran = commands.filter((command) => !refused.some((line) => line.startsWith(`${command}: `)));
      expect(ran).toEqual([]);
    }
  }, 240_000);

  it('ask without a sandbox in the mode full, unless an administrator allowed them', async () => {
    for (const [setup, expected] of [
      [{}, 'asked'],
      [{ unsandboxed: 'allow' }, true],
      [{ unsandboxed: 'allow', isAdmin: false }, expect.stringContaining('only read-only commands')],
    ] as const) {
      await using project = await openProject({ sandbox: noSandbox(), ...setup });
      expect(await project.run('touch made')).toEqual(expected);
    }
  });

  it('that are risky by themselves are refused in the mode full, even if commands are allowed there', async () => {
    await using project = await openProject({ sandbox: noSandbox(), unsandboxed: 'allow' });
    expect(await project.run("sh -c 'touch made'")).toMatch('never prompts');
  });
});
