import { describe, expect, it } from 'vitest';
import { nounList } from '../../../src/cli/commands/noun-list.ts';
import { argumentTerm } from '../../../src/cli/program/arguments.ts';
import type { Cli } from '../../../src/cli/program/cli.ts';
import type { CommandSpec } from '../../../src/cli/program/define-command.ts';
import { usageOf } from '../../../src/cli/program/describe-command.ts';
import { formatTopic, helpTopics } from '../../../src/cli/program/help-topics.ts';
import { createProgram, loadNouns } from '../../../src/cli/program/program.ts';

const nouns = await loadNouns([]);
const all = (specs: readonly CommandSpec[], path = 'svc'): [string, CommandSpec][] =>
  specs.flatMap((spec) => [[`${path} ${spec.name}`, spec], ...all(spec.commands, `${path} ${spec.name}`)]);
const commands = all(nouns);
const notRun = {} as Cli;

describe('every declared command', () => {
  it('every command has a summary that starts with a capital, fits 60 characters and has no full stop', () => {
    const wrong = commands.filter(([, { summary }]) => !/^[A-Z].{0,58}[^.]$/.test(summary));
    expect(wrong.map(([path, { summary }]) => `${path}: ${summary}`)).toEqual([]);
  });

  it('every visible command has one to three examples', () => {
    const wrong = commands.filter(
      ([, { examples, isHidden }]) => !isHidden && (examples.length < 1 || examples.length > 3),
    );
    expect(wrong.map(([path]) => path)).toEqual([]);
  });

  it('every command explains its arguments and options', () => {
    const wrong = commands.flatMap(([path, { args, options }]) =>
      [...Object.values(args), ...options].filter(({ help }) => help === '').map(() => path),
    );
    expect(wrong).toEqual([]);
  });

  it('every noun has the same name in the noun list and in its module', () => {
    expect(nouns.map(({ name }) => name)).toEqual(nounList.map(({ name }) => name));
  });
});

describe('the help of the program', () => {
  it('the help fits one screen of 80 columns', () => {
    let text = '';
    const program = createProgram(notRun, nouns).configureOutput({ writeOut: (part) => (text += part) });
    program.outputHelp();
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(55);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const { name } of helpTopics) expect(text).toContain(`svc help ${name}`);
  });

  it('the program loads only the noun that it runs', async () => {
    const loaded = await loadNouns(['--url', 'queue', 'tasks', 'ls']);
    expect(loaded.map(({ name }) => name)).toEqual(['tasks']);
  });
});

describe('a help topic', () => {
  it('a help topic lists its entries in two columns', () => {
    const [codes] = helpTopics;
    expect(codes && formatTopic(codes)).toMatch(/^Exit codes:\n {2}0 {4}done\n/);
  });
});

describe('a usage', () => {
  it.each([
    ['svc daemon', '[options] [command]'],
    ['svc tasks', '[options] <command>'],
    ['svc webhooks redeliver', '[options] <webhook> <delivery>'],
    ['svc dlq retry', '[options] [id...]'],
  ])('the usage of %s is %s', (path, usage) => {
    const spec = new Map(commands).get(path);
    expect(spec && usageOf(spec)).toBe(usage);
  });

  it('shows an optional variadic argument as <id...>', () => {
    const spec = { type: { parse: String }, help: '', isOptional: false, isVariadic: true };
    expect(argumentTerm('id', spec)).toBe('<id...>');
  });
});
