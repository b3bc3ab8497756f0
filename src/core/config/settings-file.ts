import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { findNodeAtLocation, parseTree, type ParseError, printParseErrorCode } from 'jsonc-parser';
import { LowSync, type SyncAdapter } from 'lowdb';
import { AppError, messageOf } from '../errors.ts';
import { explainUnwritable } from '../paths/explain-unwritable.ts';
import { writePrivateFile } from '../storage/private-file.ts';

export type SettingsDocument = Record<string, unknown>;

/** Where in the text of the settings file something is wrong. */
export type Locate = (key: string) => string;

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

/** The settings file with what it holds; a file that is not there is empty, a broken one is an error with its line. */
export function openSettingsFile(path: string): LowSync<SettingsDocument> {
  const file = new LowSync<SettingsDocument>(new DurableJsonFile(path), {});
  file.read();
  return file;
}

/** Says `file:line: key` for a key of the settings file. */
export function locateInFile(path: string): Locate {
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
