import type { Setting } from '../../../../contract/config.ts';

/** Which kind of field a setting takes, as far as its values say. */
export type SettingKind = 'switch' | 'number' | 'text' | 'list' | 'json' | 'unknown';

/** The kind of a setting, by its value or else its default. */
export function settingKind({ value, default: usual, isSecret }: Setting): SettingKind {
  const known = value ?? usual;
  if (Array.isArray(known)) return known.every((part) => typeof part === 'string') ? 'list' : 'json';
  if (typeof known === 'boolean') return 'switch';
  if (typeof known === 'number') return 'number';
  if (typeof known === 'string') return 'text';
  if (known !== null) return 'json';
  return isSecret ? 'text' : 'unknown';
}

/** A value as people read it. */
export function settingText(value: Setting['value']): string {
  if (value === null || value === '') return 'not set';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'object' && Object.keys(value).length === 0) return 'none';
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A value as it is edited; a list has one part on each line. */
export function editedText(value: Setting['value'], kind: SettingKind): string {
  if (value === null) return '';
  if (kind === 'list') return (value as string[]).join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value, null, kind === 'json' ? 2 : undefined);
}

/** What was typed, as the daemon takes it: an empty field is a setting that is not set. */
export function readSetting(typed: string, kind: SettingKind): Setting['value'] {
  const text = typed.trim();
  if (kind === 'list')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  if (text === '') return null;
  if (kind === 'text') return text;
  try {
    return JSON.parse(text) as Setting['value'];
  } catch {
    // The daemon says what it expects.
    return text;
  }
}
