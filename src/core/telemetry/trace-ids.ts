import type { Runtime } from '../runtime.ts';

/** A random id in hexadecimal: 16 bytes for a trace, 8 for a span. */
export const newTraceId = ({ newSecret }: Pick<Runtime, 'newSecret'>, bytes: 8 | 16): string =>
  Buffer.from(newSecret(bytes), 'base64url').toString('hex');
