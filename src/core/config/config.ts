import type { LowSync } from 'lowdb';
import { z } from 'zod';
import type { Setting } from '../../contract/config.ts';
import type { Platform } from '../../contract/locations.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import { earlierKey } from '../../contract/setting-keys.ts';
import { AppError } from '../errors.ts';
import { isSealed, type SecretBox } from '../secrets/secret-box.ts';
import { requireWritable } from './require-writable.ts';
import { mapSecrets, mask, unmask } from './secret-parts.ts';
import { locateInFile, openSettingsFile, type SettingsDocument } from './settings-file.ts';
import {
  defaultOf,
  definitionOf,
  environmentNameOf,
  environmentNamesOf,
  findSetting,
  type SettingKey,
  settingKeys,
  type SecretKey,
  type SettingValue,
  type SettingValues,
  spellingsOf,
} from './settings.ts';

type Origin = Setting['origin'];
interface Resolved {
  value: unknown;
  origin: Origin;
  /** The environment variable that says so. */
  variable?: string | undefined;
}
/** Reads another setting, as it is where the value would be in force. */
type Beside = <K extends SettingKey>(key: K) => SettingValue<K>;
/** What is wrong with a value that its schema takes. */
type Rule = (value: unknown, beside: Beside) => string | undefined;
export type Flags = Partial<SettingValues>;

export interface ConfigSources {
  /** What the command line said; wins over everything. */
  flags?: Flags;
  env: Platform['env'];
  settingsFile: string;
}

/** The settings in force: flag over environment over settings file over default. */
export class Config {
  readonly #sources: ConfigSources;
  readonly #file: LowSync<SettingsDocument>;
  #values: Map<SettingKey, Resolved>;
  #box: SecretBox | undefined;
  readonly #rules: Partial<Record<SettingKey, Rule>> = {};
  /** Counts the changes of settings. */
  #revision = 0;

  /** Reads and checks everything; throws an `AppError` that names the file, the line and the key. */
  constructor(sources: ConfigSources) {
    this.#sources = sources;
    this.#file = openSettingsFile(sources.settingsFile);
    this.#values = this.#resolve();
  }

  /** Settings of the file that have no effect, as sentences for the log. */
  warnings(): string[] {
    const locate = locateInFile(this.#sources.settingsFile);
    return settingKeys
      .filter((key) => definitionOf(key).needsPro && findIn(this.#file.data, key) !== undefined)
      .map((key) => `${locate(key)}: Ignored: ${needsPro}`);
  }

  get<K extends SettingKey>(key: K): SettingValue<K> {
    return this.#values.get(key)?.value as SettingValue<K>;
  }

  /** Returns what `compute` makes of settings, computed again only after a setting has changed. */
  derive<T>(compute: () => T): () => T {
    let known: { revision: number; value: T } | undefined;
    return () => {
      if (known?.revision !== this.#revision) known = { revision: this.#revision, value: compute() };
      return known.value;
    };
  }

  originOf(key: SettingKey): Origin {
    return this.#values.get(key)?.origin ?? 'default';
  }

  /** The environment variable that sets it, or could. */
  variableOf(key: SettingKey): string {
    return this.#values.get(key)?.variable ?? environmentNameOf(key);
  }

  /** A secret setting as it is; sealed ones are opened. */
  secret(key: SecretKey): string | undefined {
    const value = this.get(key);
    if (value === undefined || !isSealed(value)) return value;
    return this.#openBox().open(value, placeOf(key));
  }

  /** A setting with secrets among its parts, those that are sealed opened. */
  opened<K extends SettingKey>(key: K): SettingValue<K> {
    const value = this.get(key);
    const { secretParts } = definitionOf(key);
    if (!secretParts) return value;
    const open = (secret: string, path: readonly string[]) =>
      isSealed(secret) ? this.#openBox().open(secret, placeOf(key, path)) : secret;
    return mapSecrets(value, secretParts, open) as SettingValue<K>;
  }

  /** From now on secrets that are set are sealed. */
  useBox(box: SecretBox): void {
    this.#box = box;
    this.#revision++;
  }

  /**
   * From now on a value of the setting must meet the rule too, which only a feature above can know. A rule that looks
   * at other settings asks those beside it, which may be of an edited file. Throws as the constructor does where the
   * value in force does not meet it.
   */
  setRule<K extends SettingKey>(
    key: K,
    rule: (value: SettingValue<K>, beside: Beside) => string | undefined,
  ): void {
    this.#rules[key] = rule as Rule;
    this.#requireRule(key, this.#values, locateInFile(this.#sources.settingsFile));
  }

  list(): Setting[] {
    const inFile = this.#resolve();
    return settingKeys.map((key) => this.#describe(key, inFile));
  }

  /** Writes one setting to the file, or takes it out with null; live ones take effect at once. */
  set(name: string, value: unknown): Setting {
    const key = findSetting(name);
    if (!key) throw new AppError('not_found', 'There is no such setting. See them: svc config ls');
    if (value !== null) {
      if (definitionOf(key).needsPro) throw new AppError('validation', `${key}: ${needsPro}`);
      const { parsed, fault = this.#faultOfRule(key, parsed, this.#values) } = this.#parse(key, value);
      if (fault !== undefined)
        throw new AppError('validation', `${key}: ${fault}`, { details: [{ path: key, message: fault }] });
    }
    const unfit = this.forgottenBy(key, value);
    for (const secret of unfit) requireWritable(this, secret);
    // The file may have been edited since: keep those changes.
    this.#file.read();
    const before = structuredClone(this.#file.data);
    put(this.#file.data, key, value === null ? null : this.#sealed(key, value));
    for (const secret of unfit) put(this.#file.data, secret, null);
    let inFile: Map<SettingKey, Resolved>;
    try {
      inFile = this.#resolve();
      this.#file.write();
    } catch (error) {
      this.#file.data = before;
      throw error;
    }
    for (const [name, resolved] of inFile) if (definitionOf(name).live) this.#values.set(name, resolved);
    this.#revision++;
    return this.#describe(key, inFile);
  }

  /** The secrets that go with a change: each is for the server that it was given for, and for no other. */
  forgottenBy(key: SettingKey, value: unknown): SettingKey[] {
    const next = value ?? defaultOf(key, this.get('mode'));
    if (!movesAway(this.#values.get(key)?.value, next)) return [];
    const folder = key.slice(0, key.lastIndexOf('.') + 1);
    return settingKeys.filter((other) => definitionOf(other).secret && other.startsWith(folder));
  }

  #sealed(key: SettingKey, value: unknown): unknown {
    const { schema, secret, secretParts } = definitionOf(key);
    if (secretParts)
      return mapSecrets(
        unmask(schema.parse(value), this.opened(key), secretParts),
        secretParts,
        (part, path) => this.#openBox().seal(part, placeOf(key, path)),
      );
    return typeof value === 'string' && secret ? this.#openBox().seal(value, placeOf(key)) : value;
  }

  #openBox(): SecretBox {
    if (!this.#box) throw new Error('No box for secrets yet');
    return this.#box;
  }

  #describe(key: SettingKey, inFile: Map<SettingKey, Resolved>): Setting {
    const now = this.#values.get(key);
    const next = inFile.get(key);
    const isPending = JSON.stringify(now?.value) !== JSON.stringify(next?.value);
    return {
      key,
      value: shown(key, now?.value),
      default: asJson(defaultOf(key, this.get('mode'))),
      origin: (isPending ? now : next)?.origin ?? 'default',
      description: definitionOf(key).description,
      environment: this.variableOf(key),
      needsRestart: !definitionOf(key).live,
      isSecret: (definitionOf(key).secret ?? definitionOf(key).secretParts) !== undefined,
      ...(isPending && { pending: shown(key, next?.value) }),
    };
  }

  #resolve(): Map<SettingKey, Resolved> {
    const values = new Map<SettingKey, Resolved>();
    const locate = locateInFile(this.#sources.settingsFile);
    const unknown = leaves(this.#file.data).find((path) => !findSetting(path));
    if (unknown !== undefined)
      throw new AppError('configuration', `${locate(unknown)}: There is no such setting`);
    for (const key of settingKeys) values.set(key, this.#resolveOne(key, values, locate));
    for (const key of settingKeys) this.#requireRule(key, values, locate);
    return values;
  }

  #resolveOne(
    key: SettingKey,
    values: ReadonlyMap<SettingKey, Resolved>,
    locate: (key: string) => string,
  ): Resolved {
    const { value, origin, where, variable } = this.#find(key, values, locate);
    if (origin === 'default') return { value, origin, variable };
    const { fault, parsed } = this.#parse(key, value);
    if (fault !== undefined) throw new AppError('configuration', `${where}: ${fault}`);
    // Earlier versions accepted them; at their defaults they had no effect either.
    const isHarmless = origin === 'settings' && parsed === defaultOf(key, 'mini');
    if (definitionOf(key).needsPro && !isHarmless)
      throw new AppError('configuration', `${where}: ${needsPro}. Remove it`);
    return { value: parsed, origin, variable };
  }

  #parse(key: SettingKey, value: unknown): { parsed?: unknown; fault?: string | undefined } {
    const { success, data, error } = safeParse(definitionOf(key).schema, value);
    return success ? { parsed: data } : { fault: firstIssue(error) };
  }

  #faultOfRule(
    key: SettingKey,
    value: unknown,
    values: ReadonlyMap<SettingKey, Resolved>,
  ): string | undefined {
    const beside = <K extends SettingKey>(other: K) => values.get(other)?.value as SettingValue<K>;
    return this.#rules[key]?.(value, beside);
  }

  #requireRule(
    key: SettingKey,
    values: ReadonlyMap<SettingKey, Resolved>,
    locate: (key: string) => string,
  ): void {
    const fault = this.#faultOfRule(key, values.get(key)?.value, values);
    if (fault === undefined) return;
    throw new AppError('configuration', `${this.#find(key, values, locate).where}: ${fault}`);
  }

  #find(key: SettingKey, values: ReadonlyMap<SettingKey, Resolved>, locate: (key: string) => string) {
    const { flags = {}, env } = this.#sources;
    if (flags[key] !== undefined) return { value: flags[key], origin: 'flag' as const, where: key };
    const variable = environmentNamesOf(key).find((name) => env[name]);
    if (variable !== undefined)
      return {
        value: fromText(key, env[variable] ?? ''),
        origin: 'environment' as const,
        where: variable,
        variable,
      };
    const inFile = findIn(this.#file.data, key);
    if (inFile) return { value: inFile.value, origin: 'settings' as const, where: locate(inFile.spelling) };
    const mode = values.get('mode')?.value as SettingValue<'mode'> | undefined;
    return { value: defaultOf(key, mode ?? 'mini'), origin: 'default' as const, where: key };
  }
}

const needsPro = 'It takes effect only in mode pro, which this version does not have yet';

/** What is wrong first, and where in it for an object. */
function firstIssue(error: z.ZodError): string {
  const { path = [], message = 'Not valid' } = error.issues[0] ?? {};
  return typeof path[0] === 'string' ? `${path.join('.')}: ${message}` : message;
}

/** True where a URL replaces one of another origin. */
function movesAway(before: unknown, after: unknown): boolean {
  const origin = (value: unknown) =>
    typeof value === 'string' && /^https?:/.test(value) ? new URL(value).origin : undefined;
  return origin(before) !== undefined && origin(before) !== origin(after);
}

/** Secrets are masked. */
function shown(key: SettingKey, value: unknown) {
  const { secret, secretParts } = definitionOf(key);
  if (secret && value !== undefined) return mask;
  return asJson(secretParts ? mapSecrets(value, secretParts, () => mask) : value);
}

/** What a sealed value is bound to: the earlier spelling of its key, so that what was sealed under that one still opens. */
const placeOf = (key: SettingKey, path: readonly string[] = []) =>
  [`settings:${earlierKey(key)}`, ...path].join('.');

const asJson = (value: unknown) => (value === undefined ? null : value) as Setting['value'];

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

const isDocument = (value: unknown): value is SettingsDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function leaves(document: SettingsDocument, path: string[] = []): string[] {
  return Object.entries(document).flatMap(([key, value]) => {
    const here = [...path, key];
    const name = here.join('.');
    return isDocument(value) && !findSetting(name) ? leaves(value, here) : [name];
  });
}

/** A setting in the document, and how its key is spelled there. */
function findIn(
  document: SettingsDocument,
  key: SettingKey,
): { value: unknown; spelling: string } | undefined {
  for (const spelling of spellingsOf(key)) {
    const value = readFrom(document, spelling.split('.'));
    if (value !== undefined) return { value, spelling };
  }
  return undefined;
}

/** Writes a setting into the document replacing earlier values under any spelling. */
function put(document: SettingsDocument, key: SettingKey, value: unknown): void {
  for (const spelling of spellingsOf(key))
    writeInto(document, spelling.split('.'), spelling === key ? value : null);
}

function readFrom(document: unknown, path: string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return document;
  return isDocument(document) && Object.hasOwn(document, key) ? readFrom(document[key], rest) : undefined;
}

function writeInto(document: SettingsDocument, path: string[], value: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) {
    if (value === null) delete document[key];
    else document[key] = value;
    return;
  }
  const inner = document[key];
  const next = isDocument(inner) ? inner : {};
  writeInto(next, rest, value);
  if (Object.keys(next).length > 0) document[key] = next;
  else delete document[key];
}
