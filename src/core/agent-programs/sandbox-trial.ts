import { mkdtemp, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxTest } from '../../contract/sandbox.ts';
import { processMarker } from '../processes/marked-processes.ts';
import { findProgram } from '../processes/find-program.ts';
import { runProgram } from '../processes/run-program.ts';
import type { Sandbox } from '../processes/sandbox.ts';
import type { AgentSandboxes, ProgramStart } from './agent-sandboxes.ts';
import type { ConfiguredAgent } from './configured-agents.ts';

const LIMIT_MS = 60_000;
const MAX_OUTPUT = 10_000;

export interface TrialDeps {
  sandbox: Sandbox;
  sandboxes: Pick<AgentSandboxes, 'run'>;
  home: string;
  protectedDirectories: readonly string[];
  env: Record<string, string | undefined>;
  installation: string;
}

/** The agent whose sandbox is tried, with the path of its program if it was found. */
export interface TriedAgent extends ConfiguredAgent {
  path: string | undefined;
  variables: Record<string, string | undefined>;
}

/** A shell command in the sandbox, and whether it must succeed. */
interface Check {
  name: string;
  command: string;
  succeeds: boolean;
}

/**
 * Runs a script in the sandbox of an agent, or of commands, that tries to leave it and to do what has to work. It makes a
 * repository for that in the directory of temporary files and a file in the home directory, and removes both.
 */
export async function trySandbox(
  deps: TrialDeps,
  agent: TriedAgent | undefined,
): Promise<SandboxTest['checks']> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'svc-sandbox-test-')));
  const planted = await mkdtemp(join(deps.home, '.svc-sandbox-test-'));
  try {
    await writeFile(join(planted, 'file'), 'planted');
    await writeFile(join(directory, 'outside'), 'planted');
    const git = await findProgram('git', deps.env['PATH'] ?? '');
    const main = join(directory, 'main');
    const workspace = join(directory, 'tree');
    await runOutside(deps, `mkdir ${quoted(workspace)}`);
    if (git !== undefined) await runOutside(deps, repositoryScript(main, workspace, agent !== undefined));
    const checks = [
      ...(await commonChecks(deps, { directory, planted })),
      await networkCheck(agent !== undefined),
      ...(git !== undefined && agent ? gitChecks(main) : []),
      ...(agent ? await agentChecks(deps, agent) : []),
    ];
    const output = await runInside(deps, agent, workspace, scriptOf(checks));
    const lines = output.split('\n');
    return checks.map(({ name, succeeds }, index) => {
      const passed = lines.includes(`${index} ${succeeds ? 'yes' : 'no'}`);
      const prefix = `${index} > `;
      const printed = lines.find((line) => line.startsWith(prefix));
      return {
        name,
        passed,
        ...(!passed && printed !== undefined && { detail: printed.slice(prefix.length) }),
      };
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
    await rm(planted, { recursive: true, force: true });
  }
}

async function commonChecks(
  { protectedDirectories }: TrialDeps,
  { directory, planted }: { directory: string; planted: string },
): Promise<Check[]> {
  const fails = (name: string, command: string): Check => ({ name, command, succeeds: false });
  return [
    { name: 'The directory of the task can be written', command: 'echo x > written', succeeds: true },
    fails(
      'A file next to the directory of the task is not visible',
      `cat ${quoted(join(directory, 'outside'))}`,
    ),
    fails('The system cannot be written', 'echo x > /usr/svc-sandbox-test'),
    fails('The home directory cannot be written', `echo x > ${quoted(`${planted}-written`)}`),
    fails('A file of the home directory cannot be read', `cat ${quoted(join(planted, 'file'))}`),
    ...protectedDirectories.map((path) =>
      fails(`The data of the daemon in ${path} is not visible`, `[ -n "$(ls -A ${quoted(path)})" ]`),
    ),
    fails(
      'Other processes are not visible',
      `[ -n "$(readlink /proc/*/ns/pid | grep -Fx ${quoted(await readlink('/proc/self/ns/pid'))})" ]`,
    ),
  ];
}

/** Whether it has the network of this machine; the commands of tools have none. */
const networkCheck = async (isShared: boolean): Promise<Check> => ({
  name: isShared ? 'The network can be reached, for the model' : 'The network cannot be reached',
  command: `[ "$(readlink /proc/self/ns/net)" = ${quoted(await readlink('/proc/self/ns/net'))} ]`,
  succeeds: isShared,
});

const gitChecks = (main: string): Check[] => [
  {
    name: 'git commit works in a worktree',
    command: 'git add -A && git -c user.name=svc -c user.email=svc@localhost commit -q -m Test',
    succeeds: true,
  },
  {
    name: 'Hooks of the repository cannot be written',
    command: `echo x > ${quoted(join(main, '.git/hooks/post-commit'))}`,
    succeeds: false,
  },
  {
    name: 'Settings of the repository cannot be written',
    command: `echo >> ${quoted(join(main, '.git/config'))}`,
    succeeds: false,
  },
];

async function agentChecks({ home }: TrialDeps, { path, args, preset }: TriedAgent): Promise<Check[]> {
  const logins = await Promise.all(
    preset.login.files.map(async (file) => {
      const found = await stat(join(home, file)).catch(() => undefined);
      return found && join(home, file);
    }),
  );
  const known = logins.filter((file) => file !== undefined);
  const version = path !== undefined && [path, ...args, '--version'].map(quoted).join(' ');
  return [
    ...(version === false
      ? []
      : [{ name: `${preset.title} starts`, command: `${version} </dev/null`, succeeds: true }]),
    ...known.map((file) => ({
      name: `Its login ${file} can be read`,
      command: `[ -r ${quoted(file)} ]`,
      succeeds: true,
    })),
  ];
}

/** Says of each check whether its command succeeds, and the last line that one prints that fails and should not. */
const scriptOf = (checks: readonly Check[]): string =>
  checks
    .map(({ command, succeeds }, index) =>
      succeeds
        ? `if printed=$( ( ${command} ) 2>&1 ); then echo ${index} yes; else echo ${index} no; ` +
          `printf '${index} > %s\\n' "$(printf %s "$printed" | grep . | tail -n 1 | cut -c 1-300)"; fi`
        : `if ( ${command} ) >/dev/null 2>&1; then echo ${index} yes; else echo ${index} no; fi`,
    )
    .join('\n');

const repositoryScript = (main: string, workspace: string, isWorktree: boolean): string => {
  const git = `git -C ${quoted(main)} -c core.hooksPath=/dev/null -c user.name=svc -c user.email=svc@localhost`;
  return [
    `git init -q ${quoted(main)}`,
    `${git} commit -q --allow-empty -m Base`,
    ...(isWorktree
      ? [`rmdir ${quoted(workspace)}`, `${git} worktree add -q -b svc/test ${quoted(workspace)}`]
      : []),
  ].join(' && ');
};

async function runOutside({ env, installation }: TrialDeps, script: string): Promise<void> {
  await runProgram({
    argv: ['/bin/sh', '-c', script],
    cwd: '/',
    env: { PATH: env['PATH'], HOME: '/nonexistent' },
    mark: `${installation}/sandbox-test/outside`,
    signal: AbortSignal.timeout(LIMIT_MS),
    onOutput: () => undefined,
  });
}

async function runInside(
  deps: TrialDeps,
  agent: TriedAgent | undefined,
  workspace: string,
  script: string,
): Promise<string> {
  const { sandbox, sandboxes, env, installation } = deps;
  const mark = `${installation}/sandbox-test/inside`;
  const signal = AbortSignal.timeout(LIMIT_MS);
  let output = '';
  const start = ({ argv, cwd, env: variables }: Omit<ProgramStart, 'isSandbox'>) =>
    runProgram({
      argv,
      cwd,
      env: variables,
      mark,
      signal,
      isSandbox: true,
      onOutput: (chunk, name) => {
        if (name === 'stdout') output = (output + chunk.toString()).slice(0, MAX_OUTPUT);
      },
    });
  const argv = ['/bin/sh', '-c', script];
  if (!agent) {
    const variables = { PATH: env['PATH'] ?? '', HOME: workspace, [processMarker]: mark };
    await start({
      argv: await sandbox.wrap({ argv, cwd: workspace, workspace, env: variables }),
      cwd: '/',
      env: {},
    });
    return output;
  }
  await sandboxes.run(
    {
      agent,
      program: '/bin/sh',
      args: argv.slice(1),
      workspace,
      isReadOnly: false,
      env: agent.variables,
      mark,
      helpers: agent.path === undefined ? [] : [[agent.path, ...agent.args]],
      named: [],
      signal,
      onNote: () => undefined,
    },
    start,
  );
  return output;
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
