import { presetNames } from '../../contract/agents.ts';
import type { TaskEnvironment } from '../../contract/task-environment.ts';
import { type AgentPreset, presetOf } from '../agents/presets.ts';
import type { Config } from '../config/config.ts';

/** The setting that holds the agents that an administrator added. */
export const addedAgentsKey = 'agents.added';

/** An agent that is a program of its own, with its settings. */
export interface ConfiguredAgent {
  type: string;
  preset: AgentPreset;
  /** A name in the PATH of the daemon, or an absolute path. */
  program: string;
  /** In front of those of svc. */
  args: readonly string[];
  env: TaskEnvironment;
  model: string | undefined;
  maxTokens: number | undefined;
  /** The setting that names the program, if any does. */
  programSetting: string | undefined;
  isAdded: boolean;
  /** A version that may run although it is too old. */
  allowedVersion: string | undefined;
}

/** The program of an agent that was found. */
export interface FoundProgram {
  agent: ConfiguredAgent;
  path: string;
  version: string | undefined;
}

/** The agents that svc knows, and those that an administrator added. */
export function configuredAgents(config: Pick<Config, 'get' | 'opened'>): ConfiguredAgent[] {
  const known = presetNames.map((type): ConfiguredAgent => {
    const preset = presetOf(type);
    const named = config.get(`agents.${type}.program`);
    return {
      type,
      preset,
      program: named ?? preset.program,
      programSetting: named === undefined ? undefined : `agents.${type}.program`,
      isAdded: false,
      args: config.get(`agents.${type}.args`),
      env: config.opened(`agents.${type}.env`),
      model: config.get(`agents.${type}.model`),
      maxTokens: config.get(`agents.${type}.maxTokens`),
      allowedVersion: config.get(`agents.${type}.versions.allow`),
    };
  });
  const added = Object.entries(config.opened(addedAgentsKey)).map(
    ([type, { program, args, env, model, maxTokens }]): ConfiguredAgent => ({
      type,
      preset: presetOf(type),
      program,
      programSetting: addedAgentsKey,
      isAdded: true,
      args,
      env,
      model,
      maxTokens,
      allowedVersion: undefined,
    }),
  );
  return [...known, ...added];
}
