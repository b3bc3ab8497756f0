import { findSetting, type SettingKey, spellingsOf } from './settings.ts';

/** Settings nested by the dots of their keys. */
export type SettingsDocument = Record<string, unknown>;

const isDocument = (value: unknown): value is SettingsDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The keys of a document that belong to no setting. */
export function unknownKeys(document: SettingsDocument, path: string[] = []): string[] {
  return Object.entries(document).flatMap(([key, value]) => {
    const here = [...path, key];
    const name = here.join('.');
    if (findSetting(name)) return [];
    return isDocument(value) ? unknownKeys(value, here) : [name];
  });
}

/** A setting in the document, and how its key is spelled there. */
export function findIn(
  document: SettingsDocument,
  key: SettingKey,
): { value: unknown; spelling: string } | undefined {
  for (const spelling of spellingsOf(key)) {
    const value = readFrom(document, spelling.split('.'));
    if (value !== undefined) return { value, spelling };
  }
  return undefined;
}

/** Writes a setting into the document replacing earlier values under any spelling; null removes it. */
export function put(document: SettingsDocument, key: SettingKey, value: unknown): void {
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
