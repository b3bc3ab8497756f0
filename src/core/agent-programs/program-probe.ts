import { isNewerVersion } from '../../contract/is-newer-version.ts';
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { defaultPath } from '../processes/default-path.ts';
import { findProgram, isProgramFile } from '../processes/find-program.ts';
import { runProgram } from '../processes/run-program.ts';
import type { AgentProblem } from '../agents/agent-adapter.ts';
import type { ConfiguredAgent } from './configured-agents.ts';
import { programEnvironment } from './program-environment.ts';
import { tooOld } from './program-problem.ts';

/** Some programs take seconds to start, on a busy machine many. */
const VERSION_MS = 20_000;
const MAX_OUTPUT = 10_000;

export interface ProbeDeps {
  /** The daemon's environment. */
  env: Record<string, string | undefined>;
  home: string;
  installation: string;
}

export interface VersionFound {
  version?: string | undefined;
  /** Why the agent cannot run. */
  problem?: AgentProblem | undefined;
  /** What people should know although it can. */
  warning?: string | undefined;
}

interface Answer {
  version: string | undefined;
  /** Whether the program succeeded: one that then names no version has none to name. */
  isSure: boolean;
}

/** Looks for the programs of agents, their versions and their logins. It reads no login. */
export class ProgramProbe {
  readonly #deps: ProbeDeps;
  /** By path, size and time of change, because a program may take seconds to say its version. */
  readonly #versions = new Map<string, Promise<Answer>>();

  constructor(deps: ProbeDeps) {
    this.#deps = deps;
  }

  /** The path of the program; undefined where there is none. */
  async find({ program }: ConfiguredAgent): Promise<string | undefined> {
    if (isAbsolute(program)) return (await isProgramFile(program)) ? program : undefined;
    return findProgram(program, this.#deps.env['PATH'] ?? defaultPath);
  }

  /** What the version of the program means for its runs. */
  async version(agent: ConfiguredAgent, path: string): Promise<VersionFound> {
    const { preset, allowedVersion } = agent;
    const version = await this.#versionOf(agent, path);
    const { min, tested } = preset.versions;
    if (version === undefined) return tested === '' ? {} : { warning: 'It does not say its version' };
    const known = { version };
    if (version === UNRELEASED)
      return { ...known, warning: 'It is a build without a version, which svc cannot compare' };
    if (isNewerVersion(min, version) && version !== allowedVersion)
      return { ...known, problem: tooOld(agent, version) };
    if (tested !== '' && isNewerVersion(version, tested))
      return { ...known, warning: `${version} is newer than ${tested}, with which svc was tested` };
    return known;
  }

  /** Whether there is a login where the agent usually keeps it, and what changes when a person logs in. */
  async login({ preset, env }: ConfiguredAgent): Promise<{ isFound: boolean; fingerprint: string }> {
    const { files, variables } = preset.login;
    const known = variables.filter((name) => env[name] !== undefined || this.#deps.env[name] !== undefined);
    const states = await Promise.all(
      files.map(async (file) => {
        const found = await stat(join(this.#deps.home, file)).catch(() => undefined);
        return found && `${file} ${found.size} ${found.mtimeMs} ${found.ino}`;
      }),
    );
    const found = states.filter((state) => state !== undefined);
    return {
      isFound: files.length === 0 || found.length > 0 || variables.some((name) => env[name] !== undefined),
      fingerprint: [...found, ...known, JSON.stringify(env)].join('\n'),
    };
  }

  async #versionOf(agent: ConfiguredAgent, path: string): Promise<string | undefined> {
    const { size, mtimeMs } = await stat(path);
    const key = JSON.stringify([path, agent.args, size, mtimeMs]);
    let known = this.#versions.get(key);
    if (!known) {
      known = this.#ask(agent, path);
      this.#versions.set(key, known);
      // One that did not answer may do so the next time.
      void known.then(
        ({ version, isSure }) => version === undefined && !isSure && this.#versions.delete(key),
      );
    }
    return (await known).version;
  }

  async #ask(agent: ConfiguredAgent, path: string): Promise<Answer> {
    let output = '';
    const { env, home, installation } = this.#deps;
    const exit = await runProgram({
      argv: [path, ...agent.args, '--version'],
      cwd: home,
      env: programEnvironment(agent, { env }),
      mark: `${installation}/agent-version/${agent.type}`,
      signal: AbortSignal.timeout(VERSION_MS),
      onOutput: (chunk) => {
        output = (output + chunk.toString()).slice(0, MAX_OUTPUT);
      },
    });
    return { version: versionIn(output), isSure: 'code' in exit && exit.code === 0 };
  }
}

/** What builds from source call themselves, those of Codex for example. */
const UNRELEASED = '0.0.0';

/** The version in the output of a program, such as `2.1.330` in `2.1.330 (Claude Code)`. */
const versionIn = (text: string): string | undefined =>
  /\b\d{1,9}\.\d{1,9}(?:\.\d{1,9})?(?:[-+][\w.]{1,50})?/.exec(text)?.[0];
