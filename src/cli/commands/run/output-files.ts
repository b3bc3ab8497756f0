import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CreateTask } from '../../../contract/task.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatFileError } from '../../errors/file-error.ts';

/** The JSON Schema in a file. */
export function readSchema(file: string): NonNullable<CreateTask['outputSchema']> {
  const fail = (why: string, cause?: unknown) =>
    new CliError(exitCodes.invalid, `${file} ${why}.`, { cause });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw fail(`cannot be read: ${formatFileError(error)}`, error);
  }
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw fail(`is not valid JSON: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (isObject(schema)) return schema;
  throw fail('is not a JSON Schema: expected an object');
}

const isObject = (value: unknown): value is NonNullable<CreateTask['outputSchema']> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws where the answer could not be written after the run, when it is too late. */
export function requireWritable(file: string): void {
  const path = resolve(file);
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** Writes the answer of a task, exactly as the agent gave it. */
export function writeAnswer(file: string, answer: string): void {
  try {
    writeFileSync(file, answer);
  } catch (error) {
    throw notWritten(file, error);
  }
}

const notWritten = (file: string, cause: unknown) =>
  new CliError(exitCodes.invalid, `${file} cannot be written: ${formatFileError(cause)}.`, { cause });
