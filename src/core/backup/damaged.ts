import { AppError } from '../errors.ts';

/** The error of a file that is no backup, or not a whole one. */
export const damaged = (what: string, cause?: unknown): AppError =>
  new AppError('validation', `This is not a whole backup of svc: ${what}.`, { cause });
