import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { AgentFailure } from '../agents/agent-adapter.ts';
import type { Config } from '../config/config.ts';
import { isInside } from '../paths/real-path.ts';
import { SecretFiles } from '../paths/secret-files.ts';
import { agentCommand } from '../processes/agent-sandbox.ts';
import { findProgram } from '../processes/find-program.ts';
import { GitProtection } from '../processes/git-protection.ts';
import type { GitReading } from '../processes/read-git.ts';
import type { Sandbox, SandboxState } from '../processes/sandbox.ts';
import { type RunningSandbox, runSandboxed } from '../tools/commands/run-sandboxed.ts';
import { isToolFailure } from '../tools/tool.ts';
import { scopeIn, type ToolScopeDeps } from '../tools/tool-scope.ts';
import { agentState, createState } from './agent-state.ts';
import type { ConfiguredAgent } from './configured-agents.ts';

export interface AgentSandboxesDeps extends Omit<ToolScopeDeps, 'secretFiles'> {
  sandbox: Sandbox;
  shells: GitReading['shells'];
  config: Pick<Config, 'get'>;
  /** The daemon's environment. */
  env: Record<string, string | undefined>;
}

/** How a program starts, in a sandbox or not. */
export interface ProgramStart {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string | undefined>;
  /** Whether the program is a sandbox around the agent. */
  isSandbox: boolean;
  /** The sandbox; undefined where the program sees and writes whatever the daemon can. */
  sandbox?: AgentSandbox;
}

/** The sandbox that an agent runs in. */
export interface AgentSandbox extends RunningSandbox {
  /** The directories besides the workspace that it shows and that may hold files of people. */
  visible: readonly string[];
}

export interface AgentOrder {
  agent: Pick<ConfiguredAgent, 'type' | 'preset'>;
  program: string;
  args: readonly string[];
  /** A real absolute path. */
  workspace: string;
  /** Whether the agent only reads there. */
  isReadOnly: boolean;
  /** Whether it only reads the repository to which a worktree belongs, where it could damage the objects. */
  isRepositoryReadOnly?: boolean;
  env: Record<string, string | undefined>;
  mark: string;
  /** Programs with their arguments that it starts itself, such as MCP servers. */
  helpers: readonly (readonly [program: string, ...args: string[]])[];
  /** Texts of the settings and the task, among them files that the agent is meant to read. */
  named: readonly string[];
  signal: AbortSignal;
  /** Takes what people should know of the run. */
  onNote: (note: string) => void;
}

/** Puts whole agents, with everything that they start, into the sandbox. */
export class AgentSandboxes {
  readonly #deps: AgentSandboxesDeps;
  readonly #home: string;
  readonly #repositories: GitProtection;
  readonly #secretFiles = new SecretFiles();

  constructor(deps: AgentSandboxesDeps) {
    this.#deps = deps;
    const { HOME: home, XDG_CONFIG_HOME: configHome } = deps.env;
    this.#home = home ?? homedir();
    this.#repositories = new GitProtection({ home, configHome });
  }

  /** Whether agents run in the sandbox, and why not. */
  async check(): Promise<SandboxState> {
    const { config, sandbox } = this.#deps;
    if (config.get('agents.sandbox') === 'off')
      return { isWorking: false, reason: 'the setting agents.sandbox is off' };
    return sandbox.check();
  }

  /** What the sandbox of an agent shows besides the system and the workspace. */
  async describe(order: Omit<AgentOrder, 'signal' | 'onNote' | 'mark' | 'workspace' | 'isReadOnly'>) {
    const { command, refused } = await this.#command({
      ...order,
      mark: '',
      workspace: '/',
      isReadOnly: true,
    });
    const state = this.#stateOf(order);
    return { mounts: command.mounts ?? [], state, refused };
  }

  /** Lets `start` run the agent in the sandbox, and afterwards looks for what git would execute. */
  async run<T>(order: AgentOrder, start: (program: ProgramStart) => Promise<T>): Promise<T> {
    const { workspace, isReadOnly, signal, onNote } = order;
    const home = await realpath(this.#home).catch(() => this.#home);
    if (isInside(workspace, home))
      throw refusedBy(
        `${workspace} holds your home directory, which the sandbox hides from agents. Choose the directory of a project`,
      );
    try {
      await createState(this.#stateOf(order), order.agent.preset.login.files);
      const { command, env, repositories, visible, refused } = await this.#command(order);
      for (const { path, reason } of refused)
        onNote(`${path} of agents.sandboxPaths is not visible to the agent. ${reason}`);
      const { exit, notes } = await runSandboxed(
        { sandbox: this.#deps.sandbox, repositories: this.#repositories },
        command,
        {
          scope: scopeIn(workspace, { ...this.#deps, secretFiles: this.#secretFiles }),
          signal,
          changesFiles: !isReadOnly,
          otherRepositories: repositories,
        },
        (argv, running) => start({ argv, cwd: '/', env, isSandbox: true, sandbox: { ...running, visible } }),
      );
      for (const note of notes) onNote(note);
      return exit;
    } catch (error) {
      // The workspace cannot be put into a sandbox.
      if (isToolFailure(error)) throw refusedBy(error.message);
      throw error;
    }
  }

  async #command(order: Omit<AgentOrder, 'signal' | 'onNote'>) {
    const { config, protectedDirectories, shells } = this.#deps;
    const { env } = order;
    const helpers = await Promise.all(
      order.helpers.map(async ([program, ...args]) => [
        (await findProgram(program, env['PATH'] ?? '')) ?? program,
        ...args,
      ]),
    );
    const opened = config.get('agents.sandboxPaths');
    const state = this.#stateOf(order);
    return agentCommand(
      { home: this.#home, protectedDirectories, shells },
      { ...order, state, helpers, opened },
    );
  }

  #stateOf({ agent, env }: Pick<AgentOrder, 'agent' | 'env'>) {
    return agentState(agent.preset, { home: this.#home, env });
  }
}

const refusedBy = (message: string) =>
  new AgentFailure('policy_denied', 'no_sandbox', message, { isFinal: true });
