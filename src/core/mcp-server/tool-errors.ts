import { AppError } from '../errors.ts';
import type { z } from 'zod';

/** The error of an expected failure as text for a model; undefined for a bug. */
export function explainError(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  const details = error.details?.map(({ path, message }) => `\n- ${path}: ${message}`) ?? [];
  return `${error.message}${details.join('')}`;
}

/** What is wrong with the arguments of a call. */
export const explainIssues = ({ issues }: z.ZodError): string =>
  `The arguments are not valid:${issues
    .slice(0, 20)
    .map(({ path, message }) => `\n- ${path.map(String).join('.') || 'arguments'}: ${message}`)
    .join('')}`;
