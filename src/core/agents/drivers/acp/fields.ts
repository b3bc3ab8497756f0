import { isObject } from '../json-rpc.ts';

export type Fields = Record<string, unknown>;

/** Reads a field that should be an object; anything else reads as empty. */
export const objectOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Reads a field that should be a list of objects; anything else in it is left out. */
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** An id, which some agents write as a number. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : textOf(value);

export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Whether an object has any member. */
export const hasMembers = (value: Fields): boolean => Object.keys(value).length > 0;
