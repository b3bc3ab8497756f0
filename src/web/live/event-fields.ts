import type { TaskEvent } from '../../contract/task.ts';

type Json = TaskEvent['data'][string] | undefined;
export type Fields = Partial<TaskEvent['data']>;

/** Fields of the events of any version, also of newer ones. */
export const textOf = (value: Json): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: Json): number | undefined => (typeof value === 'number' ? value : undefined);
export const fieldsOf = (value: Json): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
export const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);
