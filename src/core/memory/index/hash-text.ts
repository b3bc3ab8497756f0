import { hash } from 'node:crypto';

/** SHA-256, the key of a vector: equal texts share one. */
export const hashText = (text: string): Buffer => hash('sha256', text, 'buffer');
