import type { Approval } from '../../../contract/approvals.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

type Params = Approval['params'];

/** The arguments of a call as a person edits them. */
export const argumentsText = (params: Params): string => `${JSON.stringify(params, null, 2)}\n`;

/** Reads edited arguments; throws a `CliError` for what is no JSON object. */
export function parseArguments(text: string): Params {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notJson(cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Params;
  throw notJson('Expected an object.');
}

const notJson = (why: string, cause?: unknown) =>
  new CliError(exitCodes.invalid, `The arguments are not valid JSON: ${why}`, { cause });
