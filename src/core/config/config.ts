import type { LowSync } from 'lowdb';
import { z } from 'zod';
import type { Setting } from '../../contract/config.ts';
import type { Platform } from '../../contract/locations.ts';
import { AppError } from '../errors.ts';
import { isSealed, type SecretBox } from '../secrets/secret-box.ts';
import { requireWritable } from './require-writable.ts';
import { mapSecrets, mask, unmask } from './secret-parts.ts';
import { locateInFile, openSettingsFile, type SettingsDocument } from './settings-file.ts';
import {
  defaultOf,
  definitionOf,
  environmentNameOf,
  type SettingKey,
  settingKeys,
  type SecretKey,
  type SettingValue,
  type SettingValues,
} from './settings.ts';

type Origin = Setting['origin'];
interface Resolved {
  value: unknown;
  origin: Origin;
}
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
      .filter((key) => definitionOf(key).needsPro && readFrom(this.#file.data, key.split('.')) !== undefined)
      .map((key) => `${locate(key)}: Ignored: ${needsPro}`);
  }

  get<K extends SettingKey>(key: K): SettingValue<K> {
    return this.#values.get(key)?.value as SettingValue<K>;
  }

  originOf(key: SettingKey): Origin {
    return this.#values.get(key)?.origin ?? 'default';
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
  }

  list(): Setting[] {
    const inFile = this.#resolve();
    return settingKeys.map((key) => this.#describe(key, inFile));
  }

  /** Writes one setting to the file, or takes it out with null; live ones take effect at once. */
  set(key: string, value: unknown): Setting {
    if (!isSettingKey(key))
      throw new AppError('not_found', 'There is no such setting. See them: svc config ls');
    if (value !== null) {
      if (definitionOf(key).needsPro) throw new AppError('validation', `${key}: ${needsPro}`);
      const parsed = definitionOf(key).schema.safeParse(value);
      if (!parsed.success)
        throw new AppError('validation', `${key}: ${firstIssue(parsed.error)}`, {
          details: [{ path: key, message: firstIssue(parsed.error) }],
        });
    }
    const unfit = this.forgottenBy(key, value);
    for (const secret of unfit) requireWritable(this, secret);
    // Somebody may have edited the file since: what they wrote stays.
    this.#file.read();
    const before = structuredClone(this.#file.data);
    writeInto(this.#file.data, key.split('.'), value === null ? null : this.#sealed(key, value));
    for (const secret of unfit) writeInto(this.#file.data, secret.split('.'), null);
    let inFile: Map<SettingKey, Resolved>;
    try {
      inFile = this.#resolve();
      this.#file.write();
    } catch (error) {
      this.#file.data = before;
      throw error;
    }
    for (const [name, resolved] of inFile) if (definitionOf(name).live) this.#values.set(name, resolved);
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
      environment: environmentNameOf(key),
      needsRestart: !definitionOf(key).live,
      isSecret: (definitionOf(key).secret ?? definitionOf(key).secretParts) !== undefined,
      ...(isPending && { pending: shown(key, next?.value) }),
    };
  }

  #resolve(): Map<SettingKey, Resolved> {
    const values = new Map<SettingKey, Resolved>();
    const locate = locateInFile(this.#sources.settingsFile);
    const unknown = leaves(this.#file.data).find((path) => !isSettingKey(path));
    if (unknown !== undefined)
      throw new AppError('configuration', `${locate(unknown)}: There is no such setting`);
    for (const key of settingKeys) {
      const { value, origin, where } = this.#find(key, values, locate);
      const parsed = definitionOf(key).schema.safeParse(value);
      if (!parsed.success) throw new AppError('configuration', `${where}: ${firstIssue(parsed.error)}`);
      // An earlier svc took them; at their default they had no effect there either.
      const isHarmless =
        origin === 'default' || (origin === 'settings' && parsed.data === defaultOf(key, 'mini'));
      if (definitionOf(key).needsPro && !isHarmless)
        throw new AppError('configuration', `${where}: ${needsPro}`);
      values.set(key, { value: parsed.data, origin });
    }
    return values;
  }

  #find(key: SettingKey, values: Map<SettingKey, Resolved>, locate: (key: string) => string) {
    const { flags = {}, env } = this.#sources;
    const name = environmentNameOf(key);
    if (flags[key] !== undefined) return { value: flags[key], origin: 'flag' as const, where: key };
    if (env[name]) return { value: fromText(key, env[name]), origin: 'environment' as const, where: name };
    const inFile = readFrom(this.#file.data, key.split('.'));
    if (inFile !== undefined) return { value: inFile, origin: 'settings' as const, where: locate(key) };
    const mode = values.get('mode')?.value as SettingValue<'mode'> | undefined;
    return { value: defaultOf(key, mode ?? 'mini'), origin: 'default' as const, where: key };
  }
}

const needsPro = 'It takes effect only in mode pro, which this version does not have yet';

const isSettingKey = (key: string): key is SettingKey => settingKeys.some((known) => known === key);

/** What is wrong first, and where in it for an object. */
function firstIssue(error: z.ZodError): string {
  const { path = [], message = 'Not valid' } = error.issues[0] ?? {};
  return typeof path[0] === 'string' ? `${path.join('.')}: ${message}` : message;
}

/** True where a URL is put in the place of one of another origin. */
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

const placeOf = (key: SettingKey, path: readonly string[] = []) => [`settings:${key}`, ...path].join('.');

const asJson = (value: unknown) => (value === undefined ? null : value) as Setting['value'];

/** Environment variables are text; what the setting takes says how to read it. */
function fromText(key: SettingKey, text: string): unknown {
  const { schema } = definitionOf(key);
  if (schema.safeParse(text).success) return text;
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
    return isDocument(value) && !isSettingKey(name) ? leaves(value, here) : [name];
  });
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
