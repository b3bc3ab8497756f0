import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Cli } from '../../../src/cli/program/cli.ts';
import type { CommandSpec } from '../../../src/cli/program/define-command.ts';
import { helpTopics } from '../../../src/cli/program/help-topics.ts';
import { createProgram, loadNouns, programExamples } from '../../../src/cli/program/program.ts';
import { commandLinesOf, linesIn, type CommandLine } from '../../helpers/command-lines.ts';
import { root } from '../svc-binary.ts';

/** The commands without what they do, so that a line is only understood. */
const idle = (spec: CommandSpec): CommandSpec => ({
  ...spec,
  commands: spec.commands.map(idle),
  ...(spec.run && { run: () => undefined }),
});
const pages = ['README.md', 'CONTRIBUTING.md', ...globSync(['docs/*.md', 'docs/agents/*.md'], { cwd: root })];

describe('a line of svc that is written down', () => {
  let nouns: CommandSpec[] = [];
  beforeAll(async () => void (nouns = (await loadNouns([])).map(idle)));

  /** Why svc would not take the line; undefined if it does. */
  async function complaint({ words, text }: CommandLine): Promise<string | undefined> {
    if (words[0] === 'help' && helpTopics.some(({ name }) => name === words[1])) return undefined;
    if (words.includes('--help') || words.includes('--version')) return undefined;
    const cli = { options: {}, exitCode: 0, output: {} } as unknown as Cli;
    try {
      // Unknown nouns are met with all of them.
      const named = nouns.filter(({ name }) => words.includes(name));
      await createProgram(cli, named.length > 0 ? named : nouns).parseAsync(words, { from: 'user' });
      return undefined;
    } catch (error) {
      return `${text}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  const complaints = async (lines: readonly CommandLine[]) =>
    (await Promise.all(lines.map(complaint))).filter((each) => each !== undefined);

  it('is found in the pages', () => {
    const found = pages.flatMap((page) => commandLinesOf(readFileSync(join(root, page), 'utf8')));
    expect(found.length).toBeGreaterThan(250);
  });

  it.each(pages)('in %s is one that svc takes', async (page) => {
    expect(await complaints(commandLinesOf(readFileSync(join(root, page), 'utf8')))).toEqual([]);
  });

  it('as an example of a command is one that svc takes', async () => {
    const examplesOf = (spec: CommandSpec): readonly string[] => [
      ...spec.examples,
      ...spec.commands.flatMap(examplesOf),
    ];
    const lines = [...programExamples, ...nouns.flatMap(examplesOf)].flatMap(linesIn);
    expect(lines.length).toBeGreaterThan(150);
    expect(await complaints(lines)).toEqual([]);
  });

  it('is refused with an option that does not exist', async () => {
    expect(await complaints(linesIn('svc tasks ls --colour red'))).toEqual([
      expect.stringContaining('unknown option'),
    ]);
  });
});
