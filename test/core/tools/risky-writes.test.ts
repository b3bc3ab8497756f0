import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locate } from '../../../src/contract/locations.ts';
import type { SecurityMode } from '../../../src/contract/security-mode.ts';
import { ownDirectories } from '../../../src/core/paths/own-directories.ts';
import { Sandbox } from '../../../src/core/processes/sandbox.ts';
import { secretExfiltration } from '../../../src/core/tools/guards/secret-exfiltration.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { writeFileTool } from '../../../src/core/tools/files/write-file.ts';
import { call, hasSandbox, path as searchPath, toolOf } from './commands/command-setup.ts';
import { openGate } from './gate-setup.ts';

interface Situation {
  mode: SecurityMode;
  isRepository?: boolean;
  /** Whether the workspace is the home directory. */
  isHome?: boolean;
  /** The person's settings of git. */
  gitconfig?: string;
  tool?: Tool;
}

/** What happens to a call whose tool is allowed: it ran, it waits for a person, or it was refused. */
async function outcomeOf(
  args: Record<string, unknown>,
  { mode, isRepository, isHome, gitconfig, tool = writeFileTool }: Situation,
) {
  await using open = await openGate(tool, [], (tree) => (isHome ? tree.workspace : join(tree.root, 'home')));
  if (isRepository) await open.tree.write('.git/config', '[core]\n\thooksPath = tools/checks\n');
  if (gitconfig !== undefined) {
    const text = gitconfig.replaceAll('WORK', open.tree.workspace);
    mkdirSync(join(open.tree.root, 'home'), { recursive: true });
    writeFileSync(join(open.tree.root, 'home/.gitconfig'), text);
  }
  await open.policy.update({ allowedTools: [tool.name] }, {});
  const run = open.runOf({ mode, mayRunCommands: true });
  const answer = await open.call({ name: tool.name, args }, run);
  if (answer.kind === 'waiting') return `asked, ${answer.approval.securityLevel}: ${answer.approval.reason}`;
  return answer.result.success ? 'ran' : `refused: ${answer.result.content}`;
}

const write = (path: string) => ({ path, content: 'x' });

describe('a file that runs later', () => {
  it.each(['.envrc', '.vscode/tasks.json', '.husky/pre-commit', '.bashrc', 'app.service', '.mcp.json'])(
    'is written outside a repository only after an approval: %s',
    async (path) => {
      expect(await outcomeOf(write(path), { mode: 'ask' })).toMatch(/^asked, high: .* may run later/);
      for (const mode of ['allowlist', 'full'] as const)
        expect(await outcomeOf(write(path), { mode })).toMatch(/^refused: .* may run later/);
    },
  );

  it('is shown as dangerous inside a repository, and written in a mode without approvals', async () => {
    const situation = { isRepository: true };
    expect(await outcomeOf(write('.vscode/tasks.json'), { ...situation, mode: 'ask' })).toMatch(
      /^asked, high: /,
    );
    expect(await outcomeOf(write('.vscode/tasks.json'), { ...situation, mode: 'full' })).toBe('ran');
    expect(await outcomeOf(write('tools/checks/pre-commit'), { ...situation, mode: 'ask' })).toMatch(
      /git runs hooks/,
    );
    expect(await outcomeOf(write('src/a.ts'), { ...situation, mode: 'ask' })).toBe('ran');
  });

  it('is what the settings of the person name, inside a repository and outside', async () => {
    const gitconfig = '[core]\n\thooksPath = WORK/own/checks\n';
    const path = 'own/checks/pre-commit';
    expect(await outcomeOf(write(path), { mode: 'ask', gitconfig, isRepository: true })).toMatch(
      /git runs hooks/,
    );
    expect(await outcomeOf(write(path), { mode: 'full', gitconfig })).toMatch(/^refused: .*git runs hooks/);
    expect(await outcomeOf(write('own/a.ts'), { mode: 'full', gitconfig })).toBe('ran');
  });

  it.skipIf(!hasSandbox.isWorking)('is guarded against commands, too (needs bubblewrap)', async () => {
    const tool = toolOf({
      workspace: '/',
      sandbox: new Sandbox({ path: searchPath, home: '/root', hiddenDirectories: [] }),
    });
    const situation = { mode: 'full', tool } as const;
    expect(await outcomeOf({ command: 'cp a .envrc' }, situation)).toMatch(
      /refused: .*\.envrc may run later/,
    );
    expect(await outcomeOf({ command: 'touch --reference=a .vscode/tasks.json' }, situation)).toMatch(
      /may run later/,
    );
    expect(await outcomeOf({ command: 'ls .vscode/tasks.json' }, situation)).not.toMatch(/may run later/);
  });
});

describe('the home directory as the workspace', () => {
  it('is written to only after an approval', async () => {
    const situation = { isHome: true };
    expect(await outcomeOf(write('notes.md'), { ...situation, mode: 'ask' })).toMatch(/home directory/);
    for (const mode of ['allowlist', 'full'] as const)
      expect(await outcomeOf(write('notes.md'), { ...situation, mode })).toMatch(
        /^refused: .*home directory/,
      );
  });

  it.each(['settings', 'data', 'state'])(
    'does not lead to the %s of a daemon that has not created them',
    async (kind) => {
      await using open = await openGate();
      const home = open.tree.workspace;
      const locations = locate({ env: {}, platform: 'linux', home });
      const protectedDirectories = ownDirectories(locations);
      const file =
        { settings: locations.settingsFile, data: locations.databaseFile, state: locations.logFile }[kind] ??
        '';
      const guard = secretExfiltration({ protectedDirectories });
      const { guardedCall } = await import('./guarded-calls.ts');
      const one = await guardedCall(home, { paths: [{ path: file, operation: 'write' }] });
      expect(await guard.check(one)).toContain('where secrets are kept');
      if (!hasSandbox.isWorking) return;
      const sandbox = new Sandbox({
        path: searchPath,
        home: '/root',
        hiddenDirectories: protectedDirectories,
      });
      await open.tree.write('evil.sh', `mkdir -p $(dirname ${file}); echo '{}' > ${file}; echo ran`);
      expect(await call('sh evil.sh', { workspace: home, sandbox })).toContain('ran');
      expect(existsSync(file)).toBe(false);
    },
  );
});
