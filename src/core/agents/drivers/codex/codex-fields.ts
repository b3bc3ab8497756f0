import { isObject } from '../json-rpc.ts';

export type Fields = Record<string, unknown>;

/** The value as an object; empty where it is none. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** An id, which some versions write as a number. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : textOf(value);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The objects of a list; empty where it is none. */
export const objectsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The texts of a list; empty where it is none. */
export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
