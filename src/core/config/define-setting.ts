import { z } from 'zod';
import type { SecretParts } from './secret-parts.ts';

export const modeSchema = z.enum(['pico', 'mini', 'pro']);
export type Mode = z.output<typeof modeSchema>;

interface SettingSource<T extends z.ZodType> {
  /** Makes the schema when the setting is first checked: a start makes none for a setting that has its default. */
  schema: () => T;
  /** What the schema makes of it is the same value. */
  default: z.output<T> | ((mode: Mode) => z.output<T>);
  description: string;
  /** The environment variable that sets it, `SVC_` and the key in capitals unless the interface names another. */
  environment?: string;
  /** True when a change takes effect at once. */
  live?: true;
  /** `daemon` for what belongs to one daemon and its machine; the daemons of a cluster share all other settings. */
  scope?: 'daemon';
  /** True for a setting of mode `pro`: setting it is refused in other modes. */
  needsPro?: true;
  /** True for a variable that other programs use too: outside mode `pro` it is ignored instead of refused. */
  isCommonVariable?: true;
  /** True for a URL that may hold a password: never shown, and not taken through the API. */
  hasPassword?: true;
  /** True for a secret: never shown, and sealed in the settings file when it is set through the API. */
  secret?: true;
  /** For an object of entries, some parts of which are secrets. It takes JSON as text, too. */
  secretParts?: SecretParts;
}

export interface SettingDefinition<T extends z.ZodType = z.ZodType> extends Omit<SettingSource<T>, 'schema'> {
  readonly schema: T;
}

export function define<T extends z.ZodType>(source: SettingSource<T>): SettingDefinition<T> {
  let schema: T | undefined;
  return {
    ...source,
    get schema() {
      return (schema ??= source.schema());
    },
  };
}
