import { hash } from 'node:crypto';

/** By which a vector is known: texts that are equal share it. SHA-256. */
export const hashText = (text: string): Buffer => hash('sha256', text, 'buffer');
