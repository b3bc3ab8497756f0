import { z } from 'zod';
import type { SecretParts } from './secret-parts.ts';

export const modeSchema = z.enum(['pico', 'mini']);
export type Mode = z.output<typeof modeSchema>;

export interface SettingDefinition<T extends z.ZodType = z.ZodType> {
  schema: T;
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

export const define = <T extends z.ZodType>(definition: SettingDefinition<T>): SettingDefinition<T> =>
  definition;
