import type { Setting } from '../../contract/config.ts';
import { mapSecrets, mask } from './secret-parts.ts';
import { maskPassword } from './service-urls.ts';
import { definitionOf, type SettingKey } from './settings.ts';

/** The value of a setting as JSON, with its secrets masked. */
export function shown(key: SettingKey, value: unknown): Setting['value'] {
  const { secret, secretParts, hasPassword } = definitionOf(key);
  if (secret && value !== undefined) return mask;
  if (hasPassword && typeof value === 'string') return maskPassword(value, mask);
  return asJson(secretParts ? mapSecrets(value, secretParts, () => mask) : value);
}

export const asJson = (value: unknown): Setting['value'] =>
  (value === undefined ? null : value) as Setting['value'];
