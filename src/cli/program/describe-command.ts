import { type Arguments, argumentTerm } from './arguments.ts';
import type { CommandSpec } from './define-command.ts';
import type { OptionSpec } from './options.ts';
import type { Candidate } from './value-type.ts';

/** More words than this are not listed in the line of an option. */
const MOST_INLINE = 6;

/** The help of an argument or an option: what it is for, its choices, its default. */
export function describeValue(
  spec: Pick<OptionSpec, 'help' | 'type' | 'defaultValue'> & Partial<OptionSpec>,
): string {
  const { help, type, defaultValue, flags = '', isRepeatable = false } = spec;
  const words = type?.choices?.words.map(([word]) => word) ?? [];
  const choices = words.length > 0 && words.length <= MOST_INLINE ? `: ${either(words)}` : '';
  const repeats = isRepeatable && !flags.includes('...') ? '; repeatable' : '';
  return `${help}${choices}${repeats}${defaultValue === undefined ? '' : ` (default: ${defaultValue})`}`;
}

function either(words: string[]): string {
  const last = words.at(-1) ?? '';
  return words.length === 1 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** What stands behind the path of a command in its usage. */
export function usageOf(spec: CommandSpec): string {
  const { args, commands } = spec;
  const below = commands.length === 0 ? [] : [spec.run ? '[command]' : '<command>'];
  return ['[options]', ...below, ...argumentTerms(args)].join(' ');
}

const argumentTerms = (args: Arguments) =>
  Object.entries(args).map(([name, spec]) => argumentTerm(name, spec));

/** The lists of choices with their meanings that belong below the help of a command. */
export function choiceLists({
  args,
  options,
}: CommandSpec): { title: string; words: readonly Candidate[] }[] {
  const types = [...Object.values(args), ...options].map(({ type }) => type);
  return types.flatMap((type) =>
    type?.choices?.title === undefined ? [] : [{ title: type.choices.title, words: type.choices.words }],
  );
}
