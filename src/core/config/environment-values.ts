import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Platform } from '../../contract/locations.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import { AppError, messageOf } from '../errors.ts';
import { definitionOf, environmentNamesOf, holdsSecret, type SettingKey, settingKeys } from './settings.ts';

interface EnvironmentValue {
  value: unknown;
  /** The variable that sets the value. */
  variable: string;
}

/**
 * The settings that the environment sets. A variable of a secret, such as `NAME`, may be given as the path of a file in
 * `NAME_FILE`, as containers mount their secrets; each such file is read once.
 */
export class EnvironmentValues {
  readonly #env: Platform['env'];
  readonly #values = new Map<SettingKey, EnvironmentValue | undefined>();
  constructor(env: Platform['env']) {
    this.#env = env;
  }

  /** Throws where the file of a secret cannot be read, or where a variable is given in both ways. */
  get(key: SettingKey): EnvironmentValue | undefined {
    if (!this.#values.has(key)) this.#values.set(key, this.#read(key));
    return this.#values.get(key);
  }

  #read(key: SettingKey): EnvironmentValue | undefined {
    for (const name of environmentNamesOf(key)) {
      const found = readVariable(this.#env, name, holdsSecret(key));
      if (found) return { value: fromText(key, found.text), variable: found.variable };
    }
    return undefined;
  }
}

/** The files of secrets that the environment names. */
export const secretFilesIn = (env: Platform['env']): string[] =>
  settingKeys
    .filter(holdsSecret)
    .flatMap(environmentNamesOf)
    .flatMap((name) => env[`${name}_FILE`] || []);

function readVariable(
  env: Platform['env'],
  name: string,
  mayBeFile: boolean,
): { text: string; variable: string } | undefined {
  const fileVariable = `${name}_FILE`;
  const text = env[name];
  const file = mayBeFile ? env[fileVariable] : undefined;
  if (!file) return text ? { text, variable: name } : undefined;
  if (text)
    throw new AppError('configuration', `Both ${name} and ${fileVariable} are set. Remove one of them`);
  return { text: readSecretFile(file, fileVariable), variable: fileVariable };
}

function readSecretFile(file: string, variable: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new AppError('configuration', `${variable}: ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (text === '') throw new AppError('configuration', `${variable}: ${file} is empty`);
  return text;
}

/** Environment variables are text; what the setting takes says how to read it. */
function fromText(key: SettingKey, text: string): unknown {
  const { schema } = definitionOf(key);
  if (safeParse(schema, text).success) return text;
  if (schema instanceof z.ZodArray)
    return text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
