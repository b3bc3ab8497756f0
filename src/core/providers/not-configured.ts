import { AppError } from '../errors.ts';

/** The error for a provider, a model or an agent that has to be configured first; the message says with which command. */
export const notConfigured = (message: string, path: 'provider' | 'model' | 'agent' = 'provider'): AppError =>
  new AppError('unavailable', message, { details: [{ path, message }], isLasting: true });
