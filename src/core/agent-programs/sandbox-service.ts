import { homedir } from 'node:os';
import type { SandboxReport, SandboxTest } from '../../contract/sandbox.ts';
import { acpAgent } from '../agents/presets.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { Sandbox, SandboxState } from '../processes/sandbox.ts';
import type { AgentSandboxes } from './agent-sandboxes.ts';
import { type ConfiguredAgent, configuredAgents } from './configured-agents.ts';
import { programEnvironment } from './program-environment.ts';
import type { ProgramProbe } from './program-probe.ts';
import { trySandbox } from './sandbox-trial.ts';

export interface SandboxServiceDeps {
  sandboxes: AgentSandboxes;
  sandbox: Sandbox;
  probe: ProgramProbe;
  config: Pick<Config, 'get' | 'opened'>;
  env: Record<string, string | undefined>;
  installation: string;
  protectedDirectories: readonly string[];
}

type Row = SandboxReport['paths'][number];

/** Explains the sandboxes of agents and of the commands of tools, and tries to leave them. */
export class SandboxService {
  readonly #deps: SandboxServiceDeps;
  readonly #home: string;
  constructor(deps: SandboxServiceDeps) {
    this.#deps = deps;
    this.#home = deps.env['HOME'] ?? homedir();
  }

  async explain(name: string | undefined): Promise<SandboxReport> {
    const { sandbox, sandboxes } = this.#deps;
    const agent = this.#agent(name);
    const state = await (agent ? sandboxes : sandbox).check();
    return {
      ...(agent && { agent: agent.type }),
      isWorking: state.isWorking,
      ...(!state.isWorking && { reason: state.reason, hint: hintFor(state) }),
      modes: agent && !state.isWorking ? ['ask', 'full'] : ['sandbox', 'allowlist', 'ask', 'full'],
      network: agent !== undefined || !state.isWorking,
      paths: state.isWorking
        ? [...common, ...(agent ? await this.#agentRows(agent) : []), ...this.#closedRows()]
        : [],
    };
  }

  async test(name: string | undefined): Promise<SandboxTest> {
    const { sandbox, sandboxes, probe, protectedDirectories, env, installation } = this.#deps;
    const agent = this.#agent(name);
    const state = await (agent ? sandboxes : sandbox).check();
    const subject = agent && { agent: agent.type };
    if (!state.isWorking) return { ...subject, passed: false, reason: state.reason, checks: [] };
    const found = agent && (await probe.find(agent));
    const checks = await trySandbox(
      { sandbox, sandboxes, home: this.#home, protectedDirectories, env, installation },
      agent && {
        ...agent,
        // One that is not installed gets no directories in the home directory.
        ...(found === undefined && { preset: acpAgent(agent.type) }),
        path: found,
        variables: programEnvironment(agent, { env }),
      },
    );
    return { ...subject, passed: checks.every(({ passed }) => passed), checks };
  }

  async #agentRows(agent: ConfiguredAgent): Promise<Row[]> {
    const { sandboxes, probe, config, env } = this.#deps;
    const program = await probe.find(agent);
    const { mounts, state, refused } = await sandboxes.describe({
      agent: program === undefined ? { type: agent.type, preset: acpAgent(agent.type) } : agent,
      program: program ?? '/bin/sh',
      args: agent.args,
      env: programEnvironment(agent, { env }),
      helpers: [],
      named: Object.values(agent.env),
    });
    const opened = config
      .get('agents.sandboxPaths')
      .map(({ path }) => path.replace(/^~(?=\/|$)/, this.#home));
    const whyOf = (path: string) =>
      state.fixed.includes(path)
        ? 'its settings, which name programs'
        : state.written.includes(path)
          ? 'what it keeps between runs, its login included'
          : opened.includes(path)
            ? 'the setting agents.sandboxPaths'
            : 'its program';
    return [
      ...mounts.map((mount): Row =>
        'isMemory' in mount
          ? { path: mount.target, access: 'memory', why: 'for caches of tools' }
          : {
              path: mount.target,
              access: mount.isReadOnly ? 'read' : 'write',
              why: whyOf(mount.target),
            },
      ),
      ...refused.map(({ path, reason }): Row => ({ path, access: 'none', why: reason })),
      {
        path: 'the repository of a worktree',
        access: 'read',
        why: 'for git; only new commits, the branches of svc and the index of the worktree can be written',
      },
    ];
  }

  #closedRows(): Row[] {
    return [
      { path: `${this.#home} (all else)`, access: 'none', why: 'your files' },
      ...this.#deps.protectedDirectories.map((path): Row => ({
        path,
        access: 'none',
        why: 'the data of the daemon',
      })),
      {
        path: 'files with secrets in the directory of the task',
        access: 'none',
        why: 'the guard of secrets',
      },
      { path: 'other processes', access: 'none', why: 'they belong to others' },
    ];
  }

  #agent(name: string | undefined): ConfiguredAgent | undefined {
    if (name === undefined) return undefined;
    const known = configuredAgents(this.#deps.config);
    const agent = known.find(({ type }) => type === name);
    if (agent) return agent;
    throw new AppError(
      'not_found',
      `There is no coding agent "${name}". Available: ${known.map(({ type }) => type).join(', ')}`,
    );
  }
}

const common: readonly Row[] = [
  { path: 'the directory of the task', access: 'write', why: 'the work; only read in the mode sandbox' },
  { path: '/usr, /bin, /lib, parts of /etc', access: 'read', why: 'programs of the system' },
  { path: 'the directories of PATH', access: 'read', why: 'other programs' },
  { path: '/tmp, /dev/shm', access: 'memory', why: 'at most 512 MiB each' },
];

function hintFor(state: SandboxState): string {
  if (state.isWorking) return '';
  const { reason } = state;
  if (reason.includes('agents.sandbox')) return 'Turn it on: svc config set agents.sandbox on';
  if (reason.includes('Linux only')) return 'Run the daemon on Linux, or in a container with bubblewrap';
  if (reason.includes('not installed'))
    return 'Install it: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap';
  return 'Allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000 (on Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0)';
}
