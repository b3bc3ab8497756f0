import type { AgentNeed } from '../../../contract/agents.ts';
import { isAmbientVariable } from '../../../contract/ambient-variables.ts';
import type { TaskEnvironment } from '../../../contract/task-environment.ts';
import type { Platform } from '../../../contract/locations.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatFileError } from '../../errors/file-error.ts';

const { readFileSync } = process.getBuiltinModule('node:fs');
const { parseEnv } = process.getBuiltinModule('node:util');

export interface EnvironmentOptions {
  env?: string[];
  envFile?: string[];
}

interface Caller {
  env: Platform['env'];
  /** Whether the daemon works on this machine for this user. */
  isLocal: boolean;
}

/**
 * What a command gets of the caller's shell: how it finds programs, writes text and creates files, where the daemon is on
 * the same machine; other variables only where an option names them.
 */
export function environmentOf(
  options: EnvironmentOptions,
  { env, isLocal }: Caller,
  needs: AgentNeed[],
): { env?: TaskEnvironment; umask?: number } {
  const chosen = chosenVariables(options, env, needs);
  const variables = { ...(isLocal && needs.includes('command') && ambient(env)), ...chosen };
  return {
    ...(Object.keys(variables).length > 0 && { env: variables }),
    ...(isLocal && { umask: process.umask() }),
  };
}

/** The variables that options name; throws for an agent that takes none. */
export function chosenVariables(
  { env: named = [], envFile = [] }: EnvironmentOptions,
  env: Platform['env'],
  needs: AgentNeed[],
): TaskEnvironment {
  const chosen = Object.assign(
    {},
    ...envFile.map(readVariables),
    ...named.map((text) => variable(text, env)),
  ) as TaskEnvironment;
  if (needs.includes('command') || Object.keys(chosen).length === 0) return chosen;
  throw new CliError(exitCodes.usage, 'Only an agent that runs commands takes environment variables.', {
    next: 'Example: --agent command --env NODE_ENV=test -- "npm test"',
  });
}

const ambient = (env: Platform['env']) =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => isAmbientVariable(entry[0]) && entry[1] !== undefined,
    ),
  );

function variable(text: string, env: Platform['env']): TaskEnvironment {
  const end = text.indexOf('=');
  if (end >= 0) return { [text.slice(0, end)]: text.slice(end + 1) };
  const value = env[text];
  if (value !== undefined) return { [text]: value };
  throw new CliError(exitCodes.usage, `The environment variable ${text} is not set.`, {
    next: `Set it, or give its value: --env ${text}=…`,
  });
}

function readVariables(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CliError(exitCodes.usage, `${file}: ${formatFileError(error)}.`);
  }
}
