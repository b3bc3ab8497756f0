import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Changes, UndoReport } from '../../../../src/contract/changes.ts';
import { gitPatch } from '../../../../src/core/changes/git-patch.ts';
import { type ContractServer, Refusal, startContractServer } from '../../../helpers/contract-server.ts';
import { ToolWorld } from '../../../helpers/tool-world.ts';
import { ensureBuilt, hasTerminals, outcomeOf, SvcHome } from '../../svc-binary.ts';

const id = 'task_01a1fc43-0e60-790c-9e24-000000000001';
const patch = gitPatch(
  'a b.txt',
  { text: 'one\r\ntwo\u001b\n', mode: 0o100644 },
  { text: 'one\r\n2', mode: 0o100644 },
);
const whole: Changes = {
  directory: '/srv',
  files: [
    { path: 'a b.txt', status: 'modified', isBinary: false, ...patch },
    {
      path: 'new.txt',
      status: 'added',
      isBinary: false,
      ...gitPatch('new.txt', undefined, { text: 'a\n', mode: 0o100644 }),
    },
  ],
  additions: 2,
  deletions: 1,
  truncated: false,
  notKept: [],
};
const nothing: UndoReport = { dryRun: false, restored: [], notRestored: [], notKept: [] };

let home: SvcHome;
let server: ContractServer;
let changes: Changes;
let report: UndoReport;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  return () => home[Symbol.asyncDispose]();
});
beforeEach(async () => {
  changes = whole;
  report = nothing;
  const answers = new ToolWorld().answers();
  server = await startContractServer({
    ...answers,
    tasks: {
      ...answers.tasks,
      getChanges: () => changes,
      listChangedFiles: () => ({
        ...changes,
        files: changes.files.map(({ patch: _patch, ...file }) => file),
      }),
      getFilePatch: ({ query: { path, offset } }) => {
        const found = changes.files.find((file) => file.path === path);
        if (!found) throw new Refusal(404, 'Changed file not found');
        const { patch: text, ...file } = found;
        // In parts of ten characters.
        const end = offset + 10;
        return {
          file,
          offset,
          size: text?.length ?? 0,
          ...(text !== undefined && { patch: text.slice(offset, end) }),
          ...(text !== undefined && end < text.length && { nextOffset: end }),
        };
      },
      undo: ({ body }) => ({ ...report, dryRun: body.dryRun }),
    },
  });
});
afterEach(() => server[Symbol.asyncDispose]());

const svc = async (...words: string[]) =>
  outcomeOf(await home.start(['tasks', ...words, '--url', server.url]));

it('svc tasks diff writes a patch to a pipe that git applies byte for byte', async () => {
  const { code, stdout, stderr } = await svc('diff', id);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const directory = join(home.folder, 'work');
  mkdirSync(directory);
  writeFileSync(join(directory, 'a b.txt'), 'one\r\ntwo\u001b\n');
  execFileSync('git', ['init', '-q', directory]);
  execFileSync('git', ['apply', '--whitespace=nowarn'], { cwd: directory, input: stdout });
  expect(readFileSync(join(directory, 'a b.txt'), 'utf8')).toBe('one\r\n2');
  expect(readFileSync(join(directory, 'new.txt'), 'utf8')).toBe('a\n');
});

it.skipIf(!hasTerminals)(
  'svc tasks diff colours the patch on a terminal, and shows control characters',
  async () => {
    const { stdout } = outcomeOf(await home.startOnTerminal(['tasks', 'diff', id, '--url', server.url]));
    expect(stdout).toContain(String.raw`two\x1b`);
    expect(stdout).toContain('\u001b[31m-two');
    expect(stdout).toContain('\u001b[32m+2');
  },
);

it('svc tasks diff fails in a pipe that gets only a part of the changes, and says why', async () => {
  changes = {
    ...whole,
    files: [...whole.files, { path: 'image.png', status: 'added', isBinary: true }],
    notKept: [{ reason: 'no_git', message: 'What commands changed is not kept.' }],
  };
  const { code, stdout, stderr } = await svc('diff', id);
  expect(code).toBe(1);
  expect(stdout).toContain('+++ b/new.txt');
  expect(stderr).toBe('! image.png (added) has no patch: binary\n! What commands changed is not kept.\n');
});

it('svc tasks diff --stat counts lines per file', async () => {
  changes = { ...whole, files: [...whole.files, { path: 'image.png', status: 'deleted', isBinary: true }] };
  const { code, stdout } = await svc('diff', id, '--stat');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout:
      ' a b.txt   | 2 +-\n new.txt   | 1 (added) +\n image.png | binary (deleted)\n 3 files changed, 2 additions, 1 deletion\n',
  });
});

it('svc tasks diff --json prints what the daemon answers', async () => {
  const { stdout } = await svc('diff', id, '--json');
  expect(JSON.parse(stdout)).toEqual(whole);
});

it('svc tasks diff says that no files changed', async () => {
  changes = { ...whole, files: [], additions: 0, deletions: 0 };
  expect(await svc('diff', id)).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No files are known to have changed.\n',
  });
});

it('svc tasks undo prints the files, and how to bring the changes back', async () => {
  report = {
    ...nothing,
    restored: [
      { path: 'a.txt', action: 'restored' },
      { path: 'b.txt', action: 'removed' },
    ],
  };
  const { code, stdout, stderr } = await svc('undo', id);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'restored a.txt\nremoved b.txt\n' });
  expect(stderr).toBe(`To bring the changes back: svc tasks diff ${id} | git apply\n`);
  expect((await svc('undo', id, '--dry-run')).stdout).toBe('would restore a.txt\nwould remove b.txt\n');
});

it.each<[string, Partial<UndoReport>, number, string]>([
  [
    'a file changed since',
    { notRestored: [{ path: 'a.txt', reason: 'changed_since', message: 'The file has changed since' }] },
    1,
    '✗ not restored: a.txt. The file has changed since.\n',
  ],
  ['everything is undone already', {}, 0, 'There is nothing to undo.\n'],
  [
    'nothing is kept',
    { notKept: [{ reason: 'agent', message: 'Only the built-in agent keeps the files that it changes.' }] },
    1,
    'svc: Nothing can be undone. Only the built-in agent keeps the files that it changes.\n',
  ],
])('svc tasks undo tells the truth if %s', async (_, more, code, stderr) => {
  report = { ...nothing, ...more };
  expect(await svc('undo', id)).toEqual({ code, stdout: '', stderr });
});

it('svc tasks diff --name-only prints paths, and with a path the patch of that file alone', async () => {
  expect((await svc('diff', id, '--name-only')).stdout).toBe('a b.txt\nnew.txt\n');
  const one = await svc('diff', id, 'a b.txt');
  expect(one).toMatchObject({ code: 0, stdout: patch.patch });
  expect(await svc('diff', id, 'none.txt')).toMatchObject({ code: 5, stdout: '' });
  expect(JSON.parse((await svc('diff', id, 'a b.txt', '--json')).stdout)).toMatchObject({
    patch: patch.patch,
    offset: 0,
  });
  expect((await svc('diff', id, 'a b.txt', '--stat')).code).toBe(2);
  const files = [{ path: '.env', status: 'added' as const, isBinary: false, withheld: 'secret' as const }];
  changes = { ...whole, files };
  const secret = await svc('diff', id, '.env');
  expect(secret.code).toBe(1);
  expect(secret.stderr).toContain('.env has no patch: holds credentials');
});
