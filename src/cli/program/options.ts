import type { ValueType } from './value-type.ts';

/** A flag of a command, with or without a value. */
export interface OptionSpec<
  Name extends string = string,
  Value = unknown,
  IsAlways extends boolean = boolean,
> {
  /** As the help shows it: `-s, --status <status>`. */
  flags: string;
  /** The name of its value in `run`: `createdAfter` for `--created-after`. */
  name: Name;
  help: string;
  /** Undefined for a switch. */
  type?: ValueType;
  /** True where each use adds a value. */
  isRepeatable: boolean;
  /** True where the command refuses to run without it. */
  isRequired: boolean;
  /** True where `run` always gets a value. */
  isAlways: IsAlways;
  defaultValue?: string | number;
  /** The name of an option that excludes it. */
  conflicts?: string;
  /** True where the help of another option mentions it. */
  isHidden?: true;
  /** Never set: carries the type of the value. */
  value?: Value;
}

type ValueOf<Spec> = Spec extends OptionSpec<string, infer Value> ? Value : never;

/** What `run` is given. */
export type OptionValues<O extends readonly OptionSpec[]> = {
  [Name in Extract<O[number], { isAlways: true }>['name']]: ValueOf<Extract<O[number], { name: Name }>>;
} & {
  [Name in Exclude<O[number], { isAlways: true }>['name']]?: ValueOf<Extract<O[number], { name: Name }>>;
};

type CamelCase<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text;
type LongFlag<Flags extends string> = Flags extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;
type NameOf<Flags extends string> = CamelCase<LongFlag<Flags>>;
type SwitchName<Flags extends string> =
  LongFlag<Flags> extends `no-${infer Name}` ? CamelCase<Name> : NameOf<Flags>;
type IsNegated<Flags extends string> = LongFlag<Flags> extends `no-${string}` ? true : false;

/** `--created-after` of a flag text, without the short form and the value. */
export const longFlag = (flags: string): string => /--[\w-]+/.exec(flags)?.[0] ?? '';

const camelCase = (long: string) =>
  long.replace(/^--/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A switch; one that begins with `--no-` is on unless it is given. */
export function flag<const Flags extends string>(
  flags: Flags,
  help: string,
  { conflicts }: { conflicts?: string } = {},
): OptionSpec<SwitchName<Flags>, boolean, IsNegated<Flags>> {
  const long = longFlag(flags);
  return {
    flags,
    name: camelCase(long.replace(/^--no-/, '--')) as SwitchName<Flags>,
    help,
    isRepeatable: false,
    isRequired: false,
    isAlways: long.startsWith('--no-') as IsNegated<Flags>,
    ...(conflicts !== undefined && { conflicts }),
  };
}

/** An option with a value. */
export function option<const Flags extends string, Value>(
  flags: Flags,
  help: string,
  type: ValueType<Value>,
  { conflicts }: { conflicts?: string } = {},
): OptionSpec<NameOf<Flags>, Value, false> {
  return { ...valued(flags, help, type), isAlways: false, ...(conflicts !== undefined && { conflicts }) };
}

/** An option whose value may be left out: `-c, --conversation [id]`; it is true then. */
export function optionalValue<const Flags extends string, Value>(
  flags: Flags,
  help: string,
  type: ValueType<Value>,
): OptionSpec<NameOf<Flags>, Value | true, false> {
  return { ...valued(flags, help, type), isAlways: false };
}

/** An option whose value is this one unless another is given. */
export function optionWithDefault<const Flags extends string, Value extends string | number>(
  flags: Flags,
  help: string,
  type: ValueType<Value>,
  defaultValue: NoInfer<Value>,
): OptionSpec<NameOf<Flags>, Value, true> {
  return { ...valued(flags, help, type), isAlways: true, defaultValue };
}

/** An option that takes several values, by several uses or behind one. */
export function repeatable<const Flags extends string, Value>(
  flags: Flags,
  help: string,
  type: ValueType<Value>,
): OptionSpec<NameOf<Flags>, Value[], false> {
  return { ...valued(flags, help, type), isRepeatable: true, isAlways: false };
}

/** The same, where at least one value must be given. */
export function requiredRepeatable<const Flags extends string, Value>(
  flags: Flags,
  help: string,
  type: ValueType<Value>,
): OptionSpec<NameOf<Flags>, Value[], true> {
  return { ...valued(flags, help, type), isRepeatable: true, isRequired: true, isAlways: true };
}

const valued = <Flags extends string>(flags: Flags, help: string, type: ValueType) => ({
  flags,
  name: camelCase(longFlag(flags)) as NameOf<Flags>,
  help,
  type,
  isRepeatable: false,
  isRequired: false,
});
