import { z } from 'zod';
import type { SecretParts } from './secret-parts.ts';

export const modeSchema = z.enum(['pico', 'mini']);
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
  /** True for a setting of mode `pro`, which does not exist yet: setting it is refused. */
  needsPro?: true;
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
