import { CliError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { formatFileError } from '../errors/file-error.ts';

const { readFileSync } = process.getBuiltinModule('node:fs');

/** The text of a file, or undefined where there is none. */
export const readTextFile = (path: string): string | undefined => readFileIfPresent(path)?.toString();

/** The content of a file, or undefined where there is none. */
export function readFileIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new CliError(exitCodes.configuration, `${path} cannot be read: ${formatFileError(error)}.`, {
      cause: error,
    });
  }
}

/** The JSON of a file, or undefined where there is none. */
export function readJsonFile(path: string): unknown {
  const text = readTextFile(path);
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const line = /\(line (\d+) column \d+\)/.exec(message)?.[1];
    throw new CliError(
      exitCodes.configuration,
      `${path}:${line === undefined ? '' : `${line}:`} not valid JSON: ${message}.`,
      { cause: error },
    );
  }
}
