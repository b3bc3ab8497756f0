import { AppError } from '../errors.ts';

/** A request that its schema accepts and that nevertheless cannot be answered; `param` is the field that it is about. */
export const requestRefused = (param: string, message: string): AppError =>
  new AppError('validation', message, { details: [{ path: param, message }] });
