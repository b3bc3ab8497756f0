import type { Setting } from '../../contract/config.ts';
import type { Platform } from '../../contract/locations.ts';
import { earlierKey } from '../../contract/setting-keys.ts';
import { AppError } from '../errors.ts';
import { isSealed, type SecretBox } from '../secrets/secret-box.ts';
import { EnvironmentValues } from './environment-values.ts';
import { parseJsonText } from './parse-json-text.ts';
import { requireWritable } from './require-writable.ts';
import { mapSecrets, unmask } from './secret-parts.ts';
import { hasPasswordIn } from './service-urls.ts';
import {
  type Beside,
  type Flags,
  modeAmong,
  onlyInPro,
  parse,
  type ResolvedSettings,
  type Rule,
  SettingResolver,
} from './setting-resolver.ts';
import { findIn } from './settings-document.ts';
import { SettingsFile } from './settings-file.ts';
import type { SettingChange, SettingsSource } from './settings-source.ts';
import { asJson, shown } from './shown-setting.ts';
import {
  defaultOf,
  definitionOf,
  environmentNameOf,
  findEntry,
  findSetting,
  type SettingKey,
  settingKeys,
  type SecretKey,
  type SettingValue,
} from './settings.ts';

export type { Flags } from './setting-resolver.ts';

export interface ConfigSources {
  /** What the command line said; wins over everything. */
  flags?: Flags;
  env: Platform['env'];
  settingsFile: string;
}

/**
 * The settings in force: flag over environment over stored settings over default. They are stored in the settings file;
 * in mode `pro` the file holds those of this daemon only, and `share` brings those of the cluster.
 */
export class Config {
  readonly #file: SettingsFile;
  readonly #resolver: SettingResolver;
  readonly #values: ResolvedSettings;
  #shared: SettingsSource | undefined;
  #box: SecretBox | undefined;
  #onRefresh: (keys: SettingKey[]) => Promise<void> = async () => undefined;
  /** What other daemons have stored and this one cannot take. */
  #faults: string[] = [];
  /** Counts the changes of settings. */
  #revision = 0;

  /** Reads and checks everything; throws an `AppError` that names the file, the line and the key. */
  constructor({ flags = {}, env, settingsFile }: ConfigSources) {
    this.#file = new SettingsFile(settingsFile);
    this.#resolver = new SettingResolver(flags, new EnvironmentValues(env), this.#file);
    this.#values = this.#resolver.resolve().values;
  }

  /** Settings of the file that have no effect, as sentences for the log. */
  warnings(): string[] {
    if (this.get('mode') === 'pro') return [];
    const locate = this.#file.locate();
    return settingKeys
      .filter((key) => definitionOf(key).needsPro && findIn(this.#file.document, key) !== undefined)
      .map((key) => `${locate(key)}: Ignored: ${onlyInPro}`);
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

  originOf(key: SettingKey): Setting['origin'] {
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
    this.#resolver.setRule(key, rule as Rule, this.#values);
  }

  /** Takes the settings that the daemons of a cluster share, at the start. Throws as the constructor does. */
  share(source: SettingsSource): void {
    this.#shared = source;
    this.#resolver.share(source);
    this.#adopt(this.#resolver.resolve(), settingKeys);
  }

  /** The shared settings that stand in the file, where they have no effect. */
  ignoredInFile(): SettingKey[] {
    if (this.get('mode') !== 'pro') return [];
    return settingKeys.filter(
      (key) => definitionOf(key).scope !== 'daemon' && findIn(this.#file.document, key) !== undefined,
    );
  }

  /** The shared settings of the file as a cluster stores them, with their secrets sealed. */
  importable(): SettingChange[] {
    return this.ignoredInFile().map((key) => {
      const { parsed, fault } = parse(key, findIn(this.#file.document, key)?.value);
      if (fault !== undefined) throw new AppError('configuration', `${this.#file.locate()(key)}: ${fault}`);
      return { key, value: this.#sealed(key, parsed) };
    });
  }

  /** Calls the listener with the settings that took effect by `refresh`, which waits for it. */
  onRefresh(listener: (keys: SettingKey[]) => Promise<void>): void {
    this.#onRefresh = listener;
  }

  /** Reads the shared settings again, in case another daemon changed them. What this one cannot take stays as it was. */
  async refresh(): Promise<void> {
    if (!(await this.#shared?.refresh())) return;
    const changed = this.#adopt(this.#resolve(), liveKeys());
    if (changed.length > 0) await this.#onRefresh(changed);
  }

  /** What other daemons have stored and this one cannot take, as sentences for the log. */
  faults(): string[] {
    return this.#faults;
  }

  list(): Setting[] {
    const { values } = this.#resolve();
    return settingKeys.map((key) => this.#describe(key, values));
  }

  /**
   * Stores one setting, or one entry of a setting, on behalf of a user, or takes it out with null; live ones take effect at
   * once. Throws `conflict` where another daemon has changed it meanwhile.
   */
  async set(name: string, value: unknown, author?: string): Promise<Setting> {
    const key = findSetting(name);
    const entry = key ? undefined : findEntry(name);
    if (entry) return this.set(entry.key, this.#withEntry(entry, value), author);
    if (!key) throw new AppError('not_found', 'There is no such setting. See them: svc config ls');
    if (value !== null) this.#requireFit(key, value);
    const unfit = this.forgottenBy(key, value);
    for (const secret of unfit) requireWritable(this, secret);
    const source = this.#resolver.sourceOf(key, this.get('mode'));
    if (!source) throw new Error('No shared settings yet');
    await source.write(
      [
        { key, value: value === null ? null : this.#sealed(key, value) },
        ...unfit.map((secret) => ({ key: secret, value: null })),
      ],
      (document) => {
        const { faults } = this.#resolver.resolve({ current: this.#values, replaced: { source, document } });
        const fault = faults.find((each) => !this.#faults.includes(each));
        if (fault !== undefined) throw new AppError('configuration', fault);
      },
      author,
    );
    const stored = this.#resolve();
    this.#adopt(stored, liveKeys());
    return this.#describe(key, stored.values);
  }

  /** The secrets that go with a change: each is for the server that it was given for, and for no other. */
  forgottenBy(key: SettingKey, value: unknown): SettingKey[] {
    const next = value ?? defaultOf(key, this.get('mode'));
    if (!movesAway(this.#values.get(key)?.value, next)) return [];
    const folder = key.slice(0, key.lastIndexOf('.') + 1);
    return settingKeys.filter((other) => definitionOf(other).secret && other.startsWith(folder));
  }

  /** As the settings are stored now; what this daemon cannot take of the shared ones stays as it is in force. */
  #resolve(): { values: ResolvedSettings; faults: string[] } {
    return this.#resolver.resolve({ current: this.#values });
  }

  /** Puts stored values into force; returns those that differ. */
  #adopt(
    { values, faults }: { values: ResolvedSettings; faults: string[] },
    keys: readonly SettingKey[],
  ): SettingKey[] {
    this.#faults = faults;
    this.#revision++;
    return keys.filter((key) => {
      const [before, after] = [this.#values.get(key), values.get(key)];
      if (after) this.#values.set(key, after);
      return JSON.stringify(before?.value) !== JSON.stringify(after?.value);
    });
  }

  /** The entries of the setting, one of them replaced, or taken out with null. */
  #withEntry({ key, entry }: { key: SettingKey; entry: string }, value: unknown): unknown {
    const others = Object.entries(this.get(key) as object).filter(([name]) => name !== entry);
    if (value !== null) return Object.fromEntries([...others, [entry, parseJsonText(value)]]);
    return others.length === 0 ? null : Object.fromEntries(others);
  }

  #requireFit(key: SettingKey, value: unknown): void {
    const { needsPro, hasPassword } = definitionOf(key);
    if (needsPro && modeAmong(this.#resolve().values) !== 'pro')
      throw new AppError('validation', `${key}: ${onlyInPro}`);
    const { parsed, fault = this.#resolver.faultOfRule(key, parsed, this.#values) } = parse(key, value);
    if (fault !== undefined)
      throw new AppError('validation', `${key}: ${fault}`, { details: [{ path: key, message: fault }] });
    if (hasPassword && typeof parsed === 'string' && hasPasswordIn(parsed))
      throw new AppError(
        'validation',
        `${key}: A URL with a password is not stored here. Put it in a file and name that in ${environmentNameOf(key)}_FILE`,
      );
  }

  #sealed(key: SettingKey, value: unknown): unknown {
    const { schema, secret, secretParts } = definitionOf(key);
    const seal = (text: string, path: readonly string[] = []) =>
      isSealed(text) ? text : this.#openBox().seal(text, placeOf(key, path));
    if (secretParts)
      return mapSecrets(unmask(schema.parse(value), this.opened(key), secretParts), secretParts, seal);
    return typeof value === 'string' && secret ? seal(value) : value;
  }

  #openBox(): SecretBox {
    if (!this.#box) throw new Error('No box for secrets yet');
    return this.#box;
  }

  #describe(key: SettingKey, stored: ResolvedSettings): Setting {
    const now = this.#values.get(key);
    const next = stored.get(key);
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
      ...(this.get('mode') === 'pro' && { scope: definitionOf(key).scope ?? 'cluster' }),
      ...(isPending && { pending: shown(key, next?.value) }),
    };
  }
}

const liveKeys = () => settingKeys.filter((key) => definitionOf(key).live);

/** True where a URL replaces one of another origin. */
function movesAway(before: unknown, after: unknown): boolean {
  const origin = (value: unknown) =>
    typeof value === 'string' && /^https?:/.test(value) ? new URL(value).origin : undefined;
  return origin(before) !== undefined && origin(before) !== origin(after);
}

/** What a sealed value is bound to: the earlier spelling of its key, so that what was sealed under that one still opens. */
const placeOf = (key: SettingKey, path: readonly string[] = []) =>
  [`settings:${earlierKey(key)}`, ...path].join('.');
