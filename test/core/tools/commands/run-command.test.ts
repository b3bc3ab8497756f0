import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';
import { ToolFailure } from '../../../../src/core/tools/tool.ts';
import {
  call,
  type CallOptions,
  hasSandbox,
  makeDirectory,
  noSandbox,
  path,
  planOf,
  type TestDirectory,
  toolOf,
} from './command-setup.ts';

const withNode = `${dirname(process.execPath)}:${path}`;

let directory: TestDirectory;
let workspace: string;
beforeEach(async () => {
  directory = await makeDirectory('/var/tmp');
  workspace = join(directory.path, 'work');
  await mkdir(workspace);
});
afterEach(() => directory[Symbol.asyncDispose]());

const inSandbox = new Sandbox({ path: withNode, home: '/root', hiddenDirectories: [] });
const environments: [string, () => CallOptions][] = [
  [
    'without a sandbox',
    () => ({ workspace, sandbox: noSandbox(), mayRunCommands: true, env: { PATH: withNode } }),
  ],
];
if (hasSandbox.isWorking)
  environments.push(['in the sandbox', () => ({ workspace, sandbox: inSandbox, env: { PATH: withNode } })]);

it('run_command declares its danger and validates its arguments', () => {
  const tool = toolOf({ workspace: '/', sandbox: noSandbox() });
  expect(tool).toMatchObject({ name: 'run_command', danger: 'high', isReadOnly: false });
  expect(tool.unavailable?.()).toBeUndefined();
  expect(tool.input.parse({ command: 'ls' })).toEqual({ command: 'ls', timeoutMs: 120_000 });
  for (const wrong of [{}, { command: 1 }, { command: 'ls', timeoutMs: 600_001 }, { command: 'ls', cwd: '' }])
    expect(tool.input.safeParse(wrong).success).toBe(false);
});

describe.each(environments)('a command %s', (_, options) => {
  const run = (command: string, more: Partial<CallOptions> = {}) => call(command, { ...options(), ...more });

  it.each([
    ['ls', 'Exit code 0\n[no output]'],
    ['echo hello "wide world"', 'Exit code 0\n[stdout]\nhello wide world\n'],
    ['printf unended', 'Exit code 0\n[stdout]\nunended'],
    ['false', 'Exit code 1\n[no output]'],
    ['cat missing', 'Exit code 1\n[stderr]\ncat: missing: No such file or directory\n'],
    ["sh -c 'exit 7'", 'Exit code 7\n[no output]'],
    ["sh -c 'echo $0 $@' a 'b c' ';' '$HOME'", 'Exit code 0\n[stdout]\na b c ; $HOME\n'],
    ["sh -c 'cat; echo end'", 'Exit code 0\n[stdout]\nend\n'],
    [
      "sh -c 'kill -KILL $$'",
      /^(Terminated by SIGKILL|Exit code 137 \(terminated by SIGKILL\))\n\[no output\]$/,
    ],
    ['node --version', `Exit code 0\n[stdout]\n${process.version}\n`],
    ['npm --version', /^Exit code 0\n\[stdout\]\n\d+\.\d+\.\d+\n/],
    ['make --version', /^Exit code 0\n\[stdout\]\nGNU Make/],
    ['git status', /^Exit code 128\n\[stderr\]\nfatal: not a git repository/],
  ] as [string, string | RegExp][])('returns the exit and the output of %s', async (command, expected) => {
    const content = await run(command);
    if (typeof expected === 'string') expect(content).toBe(expected);
    else expect(content).toMatch(expected);
  });

  it('names the stream of each part of the output', async () => {
    const content = await run("sh -c 'echo 1; echo 2 >&2'");
    expect(content).toMatch(/^Exit code 0\n\[/);
    expect(content).toContain('[stdout]\n1\n');
    expect(content).toContain('[stderr]\n2\n');
  });

  it('runs a command in a directory of the workspace', async () => {
    await mkdir(join(workspace, 'sub', 'deep'), { recursive: true });
    await symlink('sub/deep', join(workspace, 'link'));
    const at = (cwd: string) => call({ command: 'pwd', cwd }, options());
    for (const cwd of ['sub/deep', 'link', join(workspace, 'sub', 'deep')])
      expect(await at(cwd)).toBe(`Exit code 0\n[stdout]\n${workspace}/sub/deep\n`);
    await expect(at('missing')).rejects.toThrow('There is no folder missing');
    await writeFile(join(workspace, 'file'), '');
    await expect(at('file')).rejects.toThrow('There is no folder file');
  });

  it('refuses to run outside the workspace, even without guards', async () => {
    await symlink(directory.path, join(workspace, 'out'));
    for (const cwd of ['..', 'out', directory.path])
      await expect(call({ command: 'pwd', cwd }, options())).rejects.toThrow('folder of the workspace');
  });

  it('gives a command a clean environment', async () => {
    const env = {
      ...options().env,
      LANG: 'C.UTF-8',
      OPENAI_API_KEY: 'planted-secret',
      GIT_DIR: '/x',
      LD_PRELOAD: '/x.so',
      NODE_OPTIONS: '--x',
    };
    const content = await run('env', { env });
    expect(content).toContain(`\nHOME=${workspace}\n`);
    for (const line of ['LANG=C.UTF-8', 'TERM=dumb', 'GIT_TERMINAL_PROMPT=0', 'GIT_CONFIG_NOSYSTEM=1'])
      expect(content.split('\n')).toContain(line);
    expect(content).not.toMatch(/planted-secret|GIT_DIR|LD_PRELOAD|NODE_OPTIONS/);
  });

  it('reports that a program does not exist', async () => {
    await writeFile(join(workspace, 'plain'), 'no program');
    await mkdir(join(workspace, 'folder'));
    for (const name of ['no-such-program', './plain', './folder', 'folder/x', '/no/such'])
      await expect(run(name)).rejects.toThrow(new ToolFailure(`There is no program ${name} here`));
  });

  it('runs a program of the workspace by its path', async () => {
    await writeFile(join(workspace, 'hello'), '#!/bin/sh\necho hello $1\n');
    await chmod(join(workspace, 'hello'), 0o755);
    expect(await run("./hello 'you and me'")).toBe('Exit code 0\n[stdout]\nhello you and me\n');
  });

  it('never finds a program of the workspace by its name', async () => {
    await writeFile(join(workspace, 'ls'), '#!/bin/sh\necho planted\n');
    await chmod(join(workspace, 'ls'), 0o755);
    const env = { PATH: `.::${withNode}` };
    expect(await run('ls', { env })).toBe('Exit code 0\n[stdout]\nls\n');
  });

  it.each(['ls | sh', 'echo $HOME', 'ls; id', 'echo `id`', 'echo hi > file'])(
    'refuses shell syntax: %s',
    async (command) => {
      const plan = await planOf({ command }, options());
      expect(plan.access).toEqual({});
      await expect(run(command)).rejects.toThrow(ToolFailure);
      expect(existsSync(join(workspace, 'file'))).toBe(false);
    },
  );
});

describe.skipIf(!hasSandbox.isWorking)('the plan of a sandboxed command (needs bubblewrap)', () => {
  const options = (): CallOptions => ({ workspace, sandbox: inSandbox });

  it('declares the argv, the directory and the paths inside the workspace', async () => {
    await mkdir(join(workspace, 'sub'));
    await writeFile(join(workspace, 'sub', '.env'), '');
    await writeFile(join(workspace, 'sub', 'file'), '');
    const plan = await planOf(
      { command: 'grep -e=x -f.env "file" missing /etc/passwd --a=file', cwd: 'sub' },
      options(),
    );
    expect(plan.access).toEqual({
      paths: [
        { path: 'sub', operation: 'write' },
        { path: join(workspace, 'sub', '.env'), operation: 'read' },
        { path: join(workspace, 'sub', 'file'), operation: 'read' },
      ],
      command: {
        argv: ['grep', '-e=x', '-f.env', 'file', 'missing', '/etc/passwd', '--a=file'],
        cwd: join(workspace, 'sub'),
      },
      environment: 'sandbox',
    });
  });

  it.each(['ls', 'make', 'node build.js', 'npm test', 'cp a b'])(
    'requires no approval for %s',
    async (command) => {
      expect((await planOf({ command }, options())).access.needsPerson).toBeUndefined();
    },
  );

  it.each(["python3 -c 'print(1)'", "sh -c 'ls'", 'xargs ls', 'env ls', 'find . -delete'])(
    'requires an approval for %s',
    async (command) => {
      expect((await planOf({ command }, options())).access.needsPerson).toMatch(/\w/);
    },
  );
});

describe('without a sandbox', () => {
  const options = (mayRunCommands: boolean): CallOptions => ({
    workspace,
    sandbox: noSandbox(),
    mayRunCommands,
  });
  const readOnly = ['ls -la', 'cat file', 'head -n 3 file', 'grep -n word file', 'wc -l file', 'sort file'];
  const others = [
    'make',
    'node build.js',
    'cp a b',
    'rm file',
    './ls',
    'sh script.sh',
    'unknown-program',
    'git gc',
  ];

  it.each(readOnly)('without a sandbox %s needs no approval', async (command) => {
    expect((await planOf({ command }, options(false))).access).toMatchObject({ environment: 'no sandbox' });
    expect((await planOf({ command }, options(true))).access.needsPerson).toBeUndefined();
  });

  it.each(others)(
    'without a sandbox %s needs an approval, or is refused if commands are not allowed',
    async (command) => {
      expect((await planOf({ command }, options(true))).access.needsPerson).toMatch(
        /^There is no sandbox here \(/,
      );
      await expect(planOf({ command }, options(false))).rejects.toThrow(ToolFailure);
    },
  );

  it.each(['sh -c ls', 'find . -exec ls'])(
    'without a sandbox %s names its own risk in the reason for the approval',
    async (command) => {
      expect((await planOf({ command }, options(true))).access.needsPerson).toMatch(
        /^.+\. There is no sandbox/,
      );
      await expect(planOf({ command }, options(false))).rejects.toThrow('There is no sandbox here');
    },
  );

  it('declares every path to the guards that a command may access', async () => {
    await writeFile(join(workspace, 'file'), '');
    const { access } = await planOf(
      { command: 'cat file missing /etc/shadow ../up x/../../y' },
      options(false),
    );
    const named = ['file', '/etc/shadow', '../up', '../y'].map((one) => resolve(workspace, one));
    expect(access.paths?.map(({ path: one }) => one)).toEqual(['.', ...named]);
  });

  it('runs git without an approval only if its configuration is plain', async () => {
    const needs = async (command: string) => (await planOf({ command }, options(true))).access.needsPerson;
    expect(await needs('git status')).toMatch(/no sandbox/);
    spawnSync('git', ['init', '-q', workspace]);
    expect(await needs('git status')).toBeUndefined();
    expect(await call('git status --short', options(false))).toBe('Exit code 0\n[no output]');
    spawnSync('git', ['-C', workspace, 'config', 'filter.x.clean', 'touch planted']);
    expect(await needs('git status')).toMatch(/no sandbox/);
  });

  it('does not run programs that a repository configures', async () => {
    spawnSync('git', ['init', '-q', workspace]);
    spawnSync('git', ['-C', workspace, 'config', 'core.fsmonitor', `touch ${workspace}/planted`]);
    await writeFile(
      join(workspace, '.git', 'hooks', 'post-index-change'),
      `#!/bin/sh\ntouch ${workspace}/planted\n`,
      {
        mode: 0o755,
      },
    );
    await writeFile(join(workspace, 'file'), 'x');
    spawnSync('git', [
      '-C',
      workspace,
      '-c',
      'core.fsmonitor=false',
      '-c',
      'core.hooksPath=/dev/null',
      'add',
      'file',
    ]);
    await writeFile(join(workspace, 'file'), 'x');
    expect(await call('git status --short', options(true))).toBe('Exit code 0\n[stdout]\nA  file\n');
    expect(existsSync(join(workspace, 'planted'))).toBe(false);
    spawnSync('git', ['-C', workspace, 'status']);
    expect(await readFile(join(workspace, 'planted'), 'utf8')).toBe('');
  });
});
