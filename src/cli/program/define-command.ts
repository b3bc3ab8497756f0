import type { Cli } from './cli.ts';
import type { ArgumentValues, Arguments } from './arguments.ts';
import type { OptionSpec, OptionValues } from './options.ts';
import { fields } from './shared-options.ts';

/** What a command runs with. */
export interface RunContext<Args = unknown, Options = unknown> {
  cli: Cli;
  args: Args;
  options: Options;
}

/** A command as data: registration, help, completion and reference derive from it. */
export interface CommandSpec {
  name: string;
  summary: string;
  /** Up to three real uses. */
  examples: readonly string[];
  args: Arguments;
  options: readonly OptionSpec[];
  /** Options of the command above that this one uses too. */
  inherited: readonly OptionSpec[];
  commands: readonly CommandSpec[];
  isHidden: boolean;
  /** Undefined where there is nothing to do without a command below. */
  run?(context: RunContext): Outcome;
}

/** A number is the exit code. */
type Outcome = Promise<number | void> | number | void;
type NoArguments = Record<never, never>;

interface Named {
  name: string;
  /** Imperative, at most 60 characters, without a full stop. */
  summary: string;
  examples: readonly string[];
  isHidden?: true;
}

interface CommandInput<
  A extends Arguments,
  O extends readonly OptionSpec[],
  I extends readonly OptionSpec[],
> extends Named {
  args?: A;
  options?: O;
  inherited?: I;
  /** What may stand right behind its name instead of its arguments; see `withoutMistakenCommands`. */
  commands?: readonly CommandSpec[];
  /** Loads the code of the command by a dynamic import, so that nothing is loaded that does not run. */
  run(context: RunContext<ArgumentValues<A>, OptionValues<[...O, ...I]>>): Outcome;
}

interface NounInput<O extends readonly OptionSpec[]> extends Named {
  commands: readonly CommandSpec[];
  options?: O;
  /** What the noun does without a verb. */
  run?(context: RunContext<NoArguments, OptionValues<O>>): Outcome;
}

/** Declares something that runs: a verb, or a noun that has none. */
export function defineCommand<
  const A extends Arguments = NoArguments,
  const O extends readonly OptionSpec[] = [],
  const I extends readonly OptionSpec[] = [],
>(input: CommandInput<A, O, I>): CommandSpec {
  const { args = {}, options = [], inherited = [], isHidden = false, commands = [] } = input;
  return { ...input, args, options: withFields(options), inherited, isHidden, commands };
}

/** Declares something that has commands below it. */
export function defineNoun<const O extends readonly OptionSpec[] = []>(input: NounInput<O>): CommandSpec {
  const { options = [], isHidden = false } = input;
  return { ...input, args: {}, options: withFields(options), inherited: [], isHidden };
}

/** Whatever is printed as JSON can be printed in part. */
const withFields = (options: readonly OptionSpec[]): readonly OptionSpec[] =>
  options.flatMap((each) => (each.name === 'json' ? [each, fields] : [each]));
