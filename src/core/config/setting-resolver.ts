import type { z } from 'zod';
import type { Setting } from '../../contract/config.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import { AppError } from '../errors.ts';
import type { Mode } from './define-setting.ts';
import type { EnvironmentValues } from './environment-values.ts';
import { problemOfDatabaseUrl } from './service-urls.ts';
import { findIn, type SettingsDocument, unknownKeys } from './settings-document.ts';
import type { Locate, SettingsSource } from './settings-source.ts';
import {
  defaultOf,
  definitionOf,
  type SettingKey,
  settingKeys,
  type SettingValue,
  type SettingValues,
} from './settings.ts';

export interface Resolved {
  value: unknown;
  origin: Setting['origin'];
  /** The environment variable that says so. */
  variable?: string | undefined;
}
export type ResolvedSettings = Map<SettingKey, Resolved>;
export type Flags = Partial<SettingValues>;

/** Reads another setting, as it is where the value would be in force. */
export type Beside = <K extends SettingKey>(key: K) => SettingValue<K>;
/** What is wrong with a value that its schema takes. */
export type Rule = (value: unknown, beside: Beside) => string | undefined;

interface Found {
  value: unknown;
  origin: Setting['origin'];
  where: string;
  variable?: string;
  isShared?: boolean;
}

interface ResolveOptions {
  /** A document to take instead of what a source holds. */
  replaced?: { source: SettingsSource; document: SettingsDocument };
  /** The values in force: they stay where another daemon of the cluster has stored one that this daemon cannot take. */
  current?: ReadonlyMap<SettingKey, Resolved>;
}

/** Finds the value of each setting among flags, environment, stored settings and defaults. */
export class SettingResolver {
  readonly #flags: Flags;
  readonly #environment: EnvironmentValues;
  readonly #file: SettingsSource;
  #shared: SettingsSource | undefined;
  readonly #rules: Partial<Record<SettingKey, Rule>> = {
    'storage.url': (url, beside) =>
      typeof url === 'string' ? problemOfDatabaseUrl(url, beside('storage.tls')) : undefined,
  };

  constructor(flags: Flags, environment: EnvironmentValues, file: SettingsSource) {
    this.#flags = flags;
    this.#environment = environment;
    this.#file = file;
  }

  /** From now on settings that daemons share come from there. */
  share(source: SettingsSource): void {
    this.#shared = source;
  }

  /** From now on the rule holds too; throws where the value in force does not meet it. */
  setRule(key: SettingKey, rule: Rule, values: ResolvedSettings): void {
    this.#rules[key] = rule;
    const fault = this.faultOfRule(key, values.get(key)?.value, values);
    if (fault === undefined) return;
    const { where } = this.#finder(values, { current: values })(key);
    throw new AppError('configuration', `${where}: ${fault}`);
  }

  /** Where a setting is stored by a daemon in this mode; undefined before the settings of its cluster are there. */
  sourceOf(key: SettingKey, mode: Mode): SettingsSource | undefined {
    return mode === 'pro' && definitionOf(key).scope !== 'daemon' ? this.#shared : this.#file;
  }

  /** All settings, and what is wrong with those of the cluster that could not be taken. Throws for any other fault. */
  resolve(options: ResolveOptions = {}): { values: ResolvedSettings; faults: string[] } {
    const values: ResolvedSettings = new Map();
    const faults: string[] = [];
    const find = this.#finder(values, options);
    const refuse = (key: SettingKey, { where, isShared }: Found, fault: string) => {
      const kept = isShared ? options.current?.get(key) : undefined;
      if (!kept) throw new AppError('configuration', `${where}: ${fault}`);
      faults.push(`${where}: ${fault}`);
      values.set(key, kept);
    };
    for (const key of settingKeys) {
      const found = find(key);
      const { fault, parsed } =
        found.origin === 'default' ? { parsed: found.value } : parse(key, found.value);
      if (fault !== undefined) {
        refuse(key, found, fault);
        continue;
      }
      requireMode(key, { ...found, value: parsed }, modeAmong(values));
      values.set(key, { value: parsed, origin: found.origin, variable: found.variable });
    }
    for (const key of settingKeys) {
      const fault = this.faultOfRule(key, values.get(key)?.value, values);
      if (fault !== undefined) refuse(key, find(key), fault);
    }
    return { values, faults };
  }

  faultOfRule(
    key: SettingKey,
    value: unknown,
    values: ReadonlyMap<SettingKey, Resolved>,
  ): string | undefined {
    const beside = <K extends SettingKey>(other: K) => values.get(other)?.value as SettingValue<K>;
    return this.#rules[key]?.(value, beside);
  }

  #finder(values: ResolvedSettings, { replaced, current }: ResolveOptions): (key: SettingKey) => Found {
    const documentOf = (source: SettingsSource) =>
      replaced?.source === source ? replaced.document : source.document;
    const located = new Map<SettingsSource, Locate>();
    const locate = (source: SettingsSource, key: string) => {
      if (!located.has(source)) located.set(source, source.locate());
      return located.get(source)?.(key) ?? key;
    };
    const [unknown] = unknownKeys(documentOf(this.#file));
    if (unknown !== undefined)
      throw new AppError('configuration', `${locate(this.#file, unknown)}: There is no such setting`);
    return (key) => {
      const given = this.#given(key, modeAmong(values));
      if (given) return given;
      // A change of the mode takes effect at the next start only.
      const source = this.sourceOf(key, modeAmong(current ?? values));
      const stored = source && findIn(documentOf(source), key);
      if (stored)
        return {
          value: stored.value,
          origin: 'settings',
          where: locate(source, stored.spelling),
          isShared: source === this.#shared,
        };
      return { value: defaultOf(key, modeAmong(values)), origin: 'default', where: key };
    };
  }

  /** What the command line or the environment says. */
  #given(key: SettingKey, mode: Mode): Found | undefined {
    if (this.#flags[key] !== undefined) return { value: this.#flags[key], origin: 'flag', where: key };
    if (definitionOf(key).isCommonVariable && mode !== 'pro') return undefined;
    const found = this.#environment.get(key);
    return found && { ...found, origin: 'environment', where: found.variable };
  }
}

export const onlyInPro = 'It takes effect only in mode pro';

export function parse(key: SettingKey, value: unknown): { parsed?: unknown; fault?: string | undefined } {
  const { success, data, error } = safeParse(definitionOf(key).schema, value);
  return success ? { parsed: data } : { fault: firstIssue(error) };
}

/** The mode is the first of the settings. */
export const modeAmong = (values: ReadonlyMap<SettingKey, Resolved>): Mode =>
  (values.get('mode')?.value as Mode | undefined) ?? 'mini';

function requireMode(key: SettingKey, { value, origin, where }: Found, mode: Mode): void {
  if (!definitionOf(key).needsPro || mode === 'pro' || origin === 'default') return;
  // Earlier versions accepted them; at their defaults they have no effect either.
  const isHarmless = origin === 'settings' && value === defaultOf(key, mode);
  if (isHarmless) return;
  throw new AppError('configuration', `${where}: ${onlyInPro}. Remove it, or set SVC_MODE=pro`);
}

/** What is wrong first, and where in it for an object. */
function firstIssue(error: z.ZodError): string {
  const { path = [], message = 'Not valid' } = error.issues[0] ?? {};
  return typeof path[0] === 'string' ? `${path.join('.')}: ${message}` : message;
}
