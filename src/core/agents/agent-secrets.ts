import { presetNames } from '../../contract/agents.ts';
import type { TaskEnvironment } from '../../contract/task-environment.ts';
import type { Config } from '../config/config.ts';

/** Shorter values occur in too many words. */
const MIN_LENGTH = 6;
const secretName = /key|token|secret|pass|auth|credential|cookie|session/i;

/** The values of variables whose names say that they are secret, the longest first. */
export const secretsIn = (...environments: TaskEnvironment[]): string[] =>
  environments
    .flatMap((environment) => Object.entries(environment))
    .filter(([name, value]) => secretName.test(name) && value.length >= MIN_LENGTH)
    .map(([, value]) => value)
    .sort((one, other) => other.length - one.length);

/** The secrets that the settings give to agents. */
export const agentSecrets = (config: Pick<Config, 'opened'>): string[] =>
  secretsIn(
    ...presetNames.map((type) => config.opened(`agents.${type}.env`)),
    ...Object.values(config.opened('agents.added')).map(({ env }) => env),
  );
