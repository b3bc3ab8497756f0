import { hash } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkScripts, scriptFiles } from '../../../../src/core/tools/commands/script-files.ts';
import type { Tool } from '../../../../src/core/tools/tool.ts';
import { argvOf } from '../commands/command-setup.ts';
import { ann, type OpenGate, openGate } from '../gate-setup.ts';

/** Commands as in a sandbox, of which none runs. */
const commands: Partial<Tool> = {
  name: 'run_command',
  input: z.object({ command: z.string() }),
  plan: async (args, { workspace }) => {
    const argv = argvOf((args as { command: string }).command);
    const scripts = await scriptFiles(argv, workspace, workspace);
    return {
      access: {
        command: { argv, cwd: workspace },
        environment: 'sandbox',
        ...(scripts.length > 0 && { scripts }),
      },
      run: async () => {
        await checkScripts(scripts);
        return { content: 'done' };
      },
    };
  },
};
const files: Partial<Tool> = {
  name: 'write_file',
  input: z.looseObject({ path: z.string() }),
  plan: (args) => ({
    access: { paths: [{ path: (args as { path: string }).path, operation: 'write' }] },
    run: async () => ({ content: 'done' }),
  }),
};

async function openWithFiles(change: Partial<Tool>): Promise<OpenGate> {
  const open = await openGate(change);
  const { workspace } = open.tree;
  for (const folder of ['src', 'lib']) await mkdir(join(workspace, folder), { recursive: true });
  for (const file of ['src/a.ts', 'lib/b.ts', 'x.py']) await writeFile(join(workspace, file), '1');
  return open;
}
const isAsked = async (open: OpenGate, args: object) => (await open.call({ args })).kind === 'waiting';
/** Allows calls like this one always. */
async function allow(open: OpenGate, args: object, covers: 'kind' | 'tool' = 'kind') {
  const approvalId = await open.ask({ args });
  const { approval } = await open.approvals.decide(ann, approvalId, 'allow-always', { covers });
  return approval.alwaysCovers;
}

describe('always, for a command', () => {
  it.each([
    ['ls', 'ls, with any arguments that only read', ['ls -la src', 'ls lib']],
    ['git status', 'git status, with any arguments that only read', ['git status --short']],
    [
      'eslint --fix src/a.ts',
      'eslint --fix FILE…, for any files of the workspace',
      ['eslint --fix lib/b.ts src/a.ts'],
    ],
    ['npm test', 'exactly this command', ['npm test']],
  ])('on %s covers %s', async (command, covers, others) => {
    await using open = await openWithFiles(commands);
    expect(await allow(open, { command })).toBe(covers);
    for (const other of others) expect(await isAsked(open, { command: other }), other).toBe(false);
  });

  it.each([
    ['ls', ['rm -rf src', 'rm x.py', 'lsof', 'cat x.py', 'npm test', './ls', 'sh ls', 'ls-remote']],
    ['git status', ['git push', 'git log', 'git commit -m x']],
    ['rm x.py', ['rm src/a.ts', 'rm -r x.py', 'rm -rf src']],
    ['npm test', ['npm publish', 'npm test -- --coverage', 'npm run build']],
    [
      'eslint --fix src/a.ts',
      [
        'eslint src/a.ts',
        'eslint --fix src',
        'eslint --fix --config x.py src/a.ts',
        'eslint --fix nowhere.ts',
      ],
    ],
    ['git commit -m x', ['git commit -m y', 'git commit --amend']],
  ])('on %s never covers %j', async (command, others) => {
    await using open = await openWithFiles(commands);
    await allow(open, { command });
    for (const other of others) expect(await isAsked(open, { command: other }), other).toBe(true);
  });

  it('covers every command only where the person picked the whole tool', async () => {
    await using open = await openWithFiles(commands);
    await allow(open, { command: 'ls' }, 'tool');
    expect(await isAsked(open, { command: 'rm -rf src' })).toBe(false);
    const rows = await open.rows();
    expect(rows[0]?.arguments).toContain('every call of run_command');
  });
});

describe('always, for another tool', () => {
  it('covers files of the same folder', async () => {
    await using open = await openWithFiles(files);
    expect(await allow(open, { path: 'src/a.ts' })).toBe(
      `write_file on files directly in ${join(open.tree.workspace, 'src')}`,
    );
    expect(await isAsked(open, { path: 'src/new.ts', content: 'x' })).toBe(false);
    for (const path of ['lib/b.ts', 'x.py', 'src/deep/a.ts', 'src'])
      expect(await isAsked(open, { path }), path).toBe(true);
  });

  it('covers the same arguments where nothing else is known of them', async () => {
    await using open = await openGate({ server: 'wiki' });
    expect(await allow(open, { a: 1 })).toBe('test_tool with exactly these arguments');
    expect(await isAsked(open, { a: 1 })).toBe(false);
    expect(await isAsked(open, { a: 2 })).toBe(true);
  });

  it('covers nothing where every call needs an approval', async () => {
    await using open = await openGate();
    open.behaviour.access = { needsPerson: 'It runs other programs' };
    expect(await allow(open, { a: 1 })).toBe('nothing: such a command needs an approval each time');
    await open.call({ args: { a: 1 } });
    expect(await isAsked(open, { a: 1 })).toBe(true);
  });
});

describe('an approval of a script', () => {
  it('names its hash, and is asked for again when the file has changed', async () => {
    await using open = await openWithFiles(commands);
    const path = join(open.tree.workspace, 'build.sh');
    await writeFile(path, 'echo one\n');
    await chmod(path, 0o755);
    for (const command of ['./build.sh', 'bash build.sh', 'env A=1 ./build.sh', "sh -c './build.sh fast'"]) {
      await writeFile(path, 'echo one\n');
      const approvalId = await open.ask({ args: { command } });
      const { approval } = await open.approvals.decide(ann, approvalId, 'allow-once');
      expect(approval.scripts, command).toEqual([{ path, sha256: hash('sha256', 'echo one\n') }]);
      await writeFile(path, 'echo two\n');
      const again = await open.ask({ args: { command }, approvalId });
      expect(again, command).not.toBe(approvalId);
      await open.approvals.decide(ann, again, 'allow-once');
      expect(await open.call({ args: { command }, approvalId: again }), command).toMatchObject({
        kind: 'done',
      });
    }
  });

  it('an approval for all such calls no longer covers a changed script', async () => {
    await using open = await openWithFiles(commands);
    expect(await allow(open, { command: 'python x.py' })).toBe(
      'exactly this command, while its script is unchanged',
    );
    expect(await isAsked(open, { command: 'python x.py' })).toBe(false);
    await writeFile(join(open.tree.workspace, 'x.py'), '2');
    expect(await isAsked(open, { command: 'python x.py' })).toBe(true);
  });

  it.each([
    ['make', 'Makefile'],
    ['npm test', 'package.json'],
    ['just build', 'justfile'],
    ['pytest x.py', 'x.py'],
    ['awk -f x.py data', 'x.py'],
  ])('of %s names %s', async (command, file) => {
    await using open = await openWithFiles(commands);
    const path = join(open.tree.workspace, file);
    await writeFile(path, 'x');
    const { workspace } = open.tree;
    expect((await scriptFiles(argvOf(command), workspace, workspace)).map((each) => each.path)).toEqual([
      path,
    ]);
  });

  it('does not run a file that changes between the check and the run', async () => {
    await using open = await openWithFiles(commands);
    const { workspace } = open.tree;
    const scripts = await scriptFiles(['python', 'x.py'], workspace, workspace);
    await checkScripts(scripts);
    await writeFile(join(workspace, 'x.py'), '2');
    await expect(checkScripts(scripts)).rejects.toThrow('has changed');
  });
});
