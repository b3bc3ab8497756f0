import { hash } from 'node:crypto';

/** SHA-256 in hex of a random secret of 128 bits or more, which needs no slow hash. */
export const hashToken = (token: string): string => hash('sha256', token);
