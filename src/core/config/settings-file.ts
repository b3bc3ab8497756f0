import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { findNodeAtLocation, parseTree, type ParseError, printParseErrorCode } from 'jsonc-parser';
import { LowSync, type SyncAdapter } from 'lowdb';
import { AppError, messageOf } from '../errors.ts';
import { explainUnwritable } from '../paths/explain-unwritable.ts';
import { writePrivateFile } from '../storage/private-file.ts';
import { put, type SettingsDocument } from './settings-document.ts';
import type { Locate, SettingChange, SettingsSource } from './settings-source.ts';

/** lowdb's own adapter has one temporary name and no fsync; two writers or a power cut would lose the file. */
class DurableJsonFile implements SyncAdapter<SettingsDocument> {
  readonly #path: string;
  constructor(path: string) {
    this.#path = path;
  }
  read(): SettingsDocument | null {
    const text = readText(this.#path);
    return text === undefined ? null : parseSettings(text, this.#path);
  }
  write(document: SettingsDocument): void {
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writePrivateFile(this.#path, `${JSON.stringify(document, null, 2)}\n`);
    } catch (error) {
      throw explainUnwritable(error, this.#path);
    }
  }
}

/** The settings file of a daemon; a file that is not there is empty, a broken one is an error with its line. */
export class SettingsFile implements SettingsSource {
  readonly #path: string;
  readonly #file: LowSync<SettingsDocument>;
  constructor(path: string) {
    this.#path = path;
    this.#file = new LowSync<SettingsDocument>(new DurableJsonFile(path), {});
    this.#file.read();
  }

  get document(): SettingsDocument {
    return this.#file.data;
  }

  /** Says `file:line: key`. */
  locate(): Locate {
    return locateInFile(this.#path);
  }

  /** An edited file counts from the next start or change on. */
  async refresh(): Promise<boolean> {
    return false;
  }

  async write(changes: readonly SettingChange[], check: (document: SettingsDocument) => void): Promise<void> {
    // The file may have been edited since: keep those changes.
    this.#file.read();
    const before = structuredClone(this.#file.data);
    try {
      for (const { key, value } of changes) put(this.#file.data, key, value);
      check(this.#file.data);
      this.#file.write();
    } catch (error) {
      this.#file.data = before;
      throw error;
    }
  }
}

function locateInFile(path: string): Locate {
  const text = readText(path) ?? '';
  const tree = parseTree(text);
  return (key) => {
    const node = tree && findNodeAtLocation(tree, key.split('.'));
    return node ? `${path}:${lineAt(text, node.offset)}: ${key}` : `${path}: ${key}`;
  };
}

function parseSettings(text: string, path: string): SettingsDocument {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first)
    throw new AppError(
      'configuration',
      `${path}:${lineAt(text, first.offset)}: The settings file is not valid JSON (${inWords(printParseErrorCode(first.error))})`,
    );
  if (tree?.type !== 'object') throw new AppError('configuration', `${path}:1: Expected a JSON object`);
  return JSON.parse(text) as SettingsDocument;
}

/** `CloseBraceExpected` as people say it. */
const inWords = (code: string) =>
  code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new AppError('configuration', `${path}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;
