import { Argument, type Command, Option } from 'commander';
import { CliError } from '../errors/cli-error.ts';
import type { Cli } from './cli.ts';
import { closest } from '../../contract/closest.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { type ArgumentSpec, argumentTerm } from './arguments.ts';
import type { CommandSpec } from './define-command.ts';
import { choiceLists, describeValue, usageOf } from './describe-command.ts';
import type { OptionSpec } from './options.ts';
import type { ValueType } from './value-type.ts';

/** Configures a Commander command from its declaration. */
export function registerCommand(command: Command, spec: CommandSpec, cli: Cli): void {
  command.description(spec.summary).usage(usageOf(spec)).helpCommand(false);
  addExamples(command, spec.examples);
  for (const [name, argument] of Object.entries(spec.args)) command.addArgument(toArgument(name, argument));
  addOptions(command, spec.options);
  for (const { title, words } of choiceLists(spec))
    command.addHelpText('after', `\n${title}:\n${aligned(words)}`);
  for (const child of spec.commands)
    registerCommand(command.command(child.name, { hidden: child.isHidden }), child, cli);
  if (!spec.run) return;
  // Or Commander would count a command that does not exist as one argument too many.
  if (isBareNoun(spec)) command.argument('[command]');
  command.action(() => runCommand(command, spec, cli));
}

async function runCommand(command: Command, spec: CommandSpec, cli: Cli): Promise<void> {
  const [unknown] = command.processedArgs as (string | undefined)[];
  if (isBareNoun(spec) && unknown !== undefined) throw unknownCommand(command, unknown, spec);
  const args = Object.fromEntries(
    Object.entries(spec.args).map(([name, { isVariadic }], at) => {
      const value: unknown = command.processedArgs[at];
      return [name, value ?? (isVariadic ? [] : undefined)];
    }),
  );
  const inherited = spec.inherited.length > 0 ? command.parent?.opts() : {};
  const { fields, ...options } = {
    ...inherited,
    ...takenByParents(command),
    ...command.opts<{ fields?: string[]; jsonl?: boolean }>(),
  };
  if (fields) await selectFields(cli, fields);
  const isJson = fields !== undefined && options.jsonl !== true;
  const exitCode = await spec.run?.({ cli, args, options: { ...options, ...(isJson && { json: true }) } });
  if (typeof exitCode === 'number') cli.exitCode = exitCode;
}

/** Commander gives an option that a command shares with one above it to the one above, wherever it stands. */
function takenByParents(command: Command): Record<string, unknown> {
  const own = new Set(command.options.map((option) => option.attributeName()));
  const taken: Record<string, unknown> = {};
  for (let { parent } = command; parent; { parent } = parent)
    for (const [name, value] of Object.entries(parent.opts<Record<string, unknown>>()))
      if (own.has(name)) taken[name] = value;
  return taken;
}

/** The schemas of the responses are loaded only for this. */
async function selectFields(cli: Cli, paths: readonly string[]): Promise<void> {
  const { FieldSelection } = await import('../output/select-fields.ts');
  const { responseFields } = await import('../../contract/response-fields.ts');
  cli.output.selection = new FieldSelection(paths, responseFields);
}

function unknownCommand(command: Command, word: string, { commands }: CommandSpec): CliError {
  const meant = closest(
    word,
    commands.map(({ name }) => name),
  );
  return new CliError(
    exitCodes.usage,
    `Unknown command '${word}'.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    { next: `See: svc ${command.name()} --help` },
  );
}

/** Whether only a command can stand behind its name. */
const isBareNoun = ({ commands, args }: CommandSpec): boolean =>
  commands.length > 0 && Object.keys(args).length === 0;

export function addExamples(command: Command, examples: readonly string[]): void {
  if (examples.length > 0)
    command.addHelpText('before', `Examples:\n${examples.map((example) => `  ${example}\n`).join('')}`);
}

export function addOptions(command: Command, options: readonly OptionSpec[]): void {
  for (const spec of options) command.addOption(toOption(spec));
}

function toArgument(name: string, spec: ArgumentSpec): Argument {
  return new Argument(argumentTerm(name, spec), describeValue(spec)).argParser(
    reader(spec.type, spec.isVariadic),
  );
}

function toOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, describeValue(spec))
    .makeOptionMandatory(spec.isRequired)
    .hideHelp(spec.isHidden ?? false);
  if (spec.type) {
    option.argParser(reader(spec.type, spec.isRepeatable));
    // Or an option such as --no-approval <tool> would take no value.
    option.negate = false;
  }
  if (spec.defaultValue !== undefined) option.default(spec.defaultValue);
  if (spec.conflicts !== undefined) option.conflicts(spec.conflicts);
  return option;
}

const reader =
  (type: ValueType, isList: boolean) =>
  (word: string, earlier: unknown): unknown =>
    isList ? [...(Array.isArray(earlier) ? (earlier as unknown[]) : []), type.parse(word)] : type.parse(word);

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`.trimEnd()).join('\n');
}
