import type { ValueType } from './value-type.ts';

/** A positional argument. */
export interface ArgumentSpec<Value = unknown> {
  type: ValueType;
  help: string;
  isOptional: boolean;
  isVariadic: boolean;
  /** Never set: carries the type of the value. */
  value?: Value;
}

/** The arguments of a command by their names, in their order. */
export type Arguments = Readonly<Record<string, ArgumentSpec>>;

/** What `run` is given. */
export type ArgumentValues<A extends Arguments> = {
  [Name in keyof A]: A[Name] extends ArgumentSpec<infer Value> ? Value : never;
};

const spec = (type: ValueType, help: string | undefined, isOptional: boolean, isVariadic: boolean) => ({
  type,
  help: help ?? (isVariadic ? type.help?.several : type.help?.one) ?? '',
  isOptional,
  isVariadic,
});

export const required = <Value>(type: ValueType<Value>, help?: string): ArgumentSpec<Value> =>
  spec(type, help, false, false);

export const optional = <Value>(type: ValueType<Value>, help?: string): ArgumentSpec<Value | undefined> =>
  spec(type, help, true, false);

/** One or more. */
export const several = <Value>(type: ValueType<Value>, help?: string): ArgumentSpec<Value[]> =>
  spec(type, help, false, true);

/** Any number, also none. */
export const anyNumber = <Value>(type: ValueType<Value>, help?: string): ArgumentSpec<Value[]> =>
  spec(type, help, true, true);

/** The argument as usage and help show it: `<id>`, `[words...]`. */
export function argumentTerm(name: string, { isOptional, isVariadic }: ArgumentSpec): string {
  const inner = isVariadic ? `${name}...` : name;
  return isOptional ? `[${inner}]` : `<${inner}>`;
}
