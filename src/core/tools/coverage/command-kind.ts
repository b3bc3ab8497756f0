import { stat, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isInside } from '../../paths/real-path.ts';
import { setOf } from '../commands/command-options.ts';
import { isHarmless } from '../commands/harmless-programs.ts';
import type { ScriptFile } from '../tool.ts';

/** Programs that only check or format what they are given, so that one file is as good as another. */
const checkers = setOf(`
  biome black clang-format eslint flake8 gofmt isort jshint mypy oxfmt oxlint phpcs prettier pylint pyright rubocop ruff rustfmt
  shellcheck shfmt standard stylelint swiftlint tsc yamllint
`);

/** What a word may be besides itself. */
/** Options without a value; a word after another option may be its value. */
const plainOptions = setOf(
  '--check --diff --fix --list-different --noEmit --quiet --strict --write -- -d -l -q -w',
);
const MAX_WORDS = 12;
const anyFile = 'FILE…';
const anyFolder = 'FOLDER…';

/** A kind of command: everything that `allow-always` does not distinguish. */
export interface CommandKind {
  /** Everything that must be the same. */
  same: unknown;
  /** For the person. */
  covers: string;
}

/**
 * The kind of a command: its program with any arguments that only read, where it is known to read; its program and options
 * with other files of the workspace, where it only checks or formats them; otherwise exactly this command.
 */
export async function kindOfCommand(
  argv: readonly string[],
  { cwd, workspace, scripts }: { cwd: string; workspace: string; scripts: readonly ScriptFile[] },
): Promise<CommandKind> {
  const [program = ''] = argv;
  if (isHarmless(argv)) {
    const name =
      program === 'git' ? `git ${argv.find((word, at) => at > 0 && !word.startsWith('-')) ?? ''}` : program;
    return { same: ['reads', name], covers: `${name}, with any arguments that only read` };
  }
  const unchanged =
    scripts.length === 0
      ? ''
      : `, while ${scripts.length === 1 ? 'its script is' : 'its scripts are'} unchanged`;
  if (checkers.has(program) && scripts.length === 0) {
    const words = await kindsOfWords(argv, cwd, workspace);
    if (words.length <= MAX_WORDS && (words.includes(anyFile) || words.includes(anyFolder)))
      return { same: ['checks', words, cwd], covers: `${words.join(' ')}, for any files of the workspace` };
  }
  return { same: ['exactly', argv, cwd, scripts], covers: `exactly this command${unchanged}` };
}

/** The words, with what stands for the files and folders of the workspace. */
async function kindsOfWords(argv: readonly string[], cwd: string, workspace: string): Promise<string[]> {
  const kinds: string[] = [];
  for (const [at, word] of argv.entries()) {
    const before = argv[at - 1] ?? '-';
    const isOperand = !word.startsWith('-') && (!before.startsWith('-') || plainOptions.has(before));
    const kind = isOperand ? await kindOfOperand(resolve(cwd, word), workspace) : undefined;
    const next = kind ?? (/^[\w./:@%+,=-]+$/.test(word) ? word : JSON.stringify(word));
    if (kind === undefined || next !== kinds.at(-1)) kinds.push(next);
  }
  return kinds;
}

async function kindOfOperand(path: string, workspace: string): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !isInside(workspace, real)) return undefined;
  const found = await stat(real).catch(() => undefined);
  if (found?.isFile()) return anyFile;
  return found?.isDirectory() ? anyFolder : undefined;
}
