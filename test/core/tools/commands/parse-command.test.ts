import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCommand } from '../../../../src/core/tools/commands/parse-command.ts';
import { makeDirectory, type TestDirectory } from './command-setup.ts';
import { sized } from '../../../helpers/long.ts';

const argvOf = (text: string) => {
  const parsed = parseCommand(text);
  return 'argv' in parsed ? parsed.argv : parsed.refused;
};

const shells = ['/bin/sh', '/bin/bash'];

/** A directory with files for shell wildcards to match. */
let directory: TestDirectory;
beforeAll(async () => {
  directory = await makeDirectory();
  for (const name of ['a', 'b', 'ab', 'x.ts', '-l']) writeFileSync(join(directory.path, name), '');
  mkdirSync(join(directory.path, 'sub'));
});
afterAll(() => directory[Symbol.asyncDispose]());

/** The arguments that a real shell passes to a program for each text, from one process. */
function argvsOfShell(shell: string, texts: string[]): string[][] {
  const script = texts.map((text) => `printf '%s\\0' ${text}\nprintf '\\1'\n`).join('');
  const { stdout, stderr } = spawnSync(shell, [], { cwd: directory.path, input: script, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout
    .split('\u0001')
    .slice(0, -1)
    .map((part) => part.split('\0').slice(0, -1));
}

const accepted: [string, string[]][] = [
  ['ls', ['ls']],
  ['  ls   -la  src ', ['ls', '-la', 'src']],
  [`echo 'a b' "c d" e`, ['echo', 'a b', 'c d', 'e']],
  [`echo a'b'"c"d ''`, ['echo', 'abcd', '']],
  [`echo '$HOME \`id\` ; | & > < * ? ! ~ # \\'`, ['echo', '$HOME `id` ; | & > < * ? ! ~ # \\']],
  ['echo "\\$HOME \\`id\\` \\" \\\\ \\n \\q"', ['echo', '$HOME `id` " \\ \\n \\q']],
  ['echo "; | & > < * ? ~ # \' {a,b}"', ['echo', "; | & > < * ? ~ # ' {a,b}"]],
  ['echo a\\ b \\* \\$HOME \\\\ \\#', ['echo', 'a b', '*', '$HOME', '\\', '#']],
  ["find . -name '*.ts' \\( -type f \\)", ['find', '.', '-name', '*.ts', '(', '-type', 'f', ')']],
  ['git diff HEAD~1 HEAD^^ HEAD~2^1 main..dev', ['git', 'diff', 'HEAD~1', 'HEAD^^', 'HEAD~2^1', 'main..dev']],
  ['git show @~ a@b.c', ['git', 'show', '@~', 'a@b.c']],
  ['make CC=gcc V=1', ['make', 'CC=gcc', 'V=1']],
  ['cat größe.txt 文件 "a\u00a0b"', ['cat', 'größe.txt', '文件', 'a\u00a0b']],
  [`grep -c "it's" x.ts`, ['grep', '-c', "it's", 'x.ts']],
  ['echo 50% a:b a+b a,b -x=1 2', ['echo', '50%', 'a:b', 'a+b', 'a,b', '-x=1', '2']],
  ['./run.sh ../up /abs', ['./run.sh', '../up', '/abs']],
];

const refused: [string, RegExp][] = [
  ['', /empty/],
  ['   ', /empty/],
  ['ls | sh', /pipes/],
  ['ls | xargs rm', /pipes/],
  ['ls | tee file', /pipes/],
  ['ls && rm -rf src', /lists/],
  ['cd src', /no cd/],
  ['cd a b && ls', /cd takes one/],
  ['ls && cd src', /no cd/],
  ['ls 2>file | wc', /redirections/],
  ['ls2>/dev/null', /redirections/],
  ['2>/dev/null ls', /set before/],
  ['ls | wc > file', /redirections/],
  ['time ls | wc', /shell syntax/],
  ['ls |& wc', /pipes/],
  ['ls; id', /lists/],
  ['ls;', /shell syntax/],
  ['ls && id', /lists/],
  ['ls || id', /lists/],
  ['ls & id', /background|lists/],
  ['ls &', /background/],
  ['ls\nid', /a line break/],
  ["echo 'a\nb'", /a line break/],
  ['ls\r', /a line break/],
  ['ls\tsrc', /a tab/],
  ['ls\0', /U\+0000/],
  ['ls \u001b[31m', /U\+001B/],
  ['ls \u202etxt', /U\+202E/],
  ['echo "\u2028"', /U\+2028/],
  ['echo \ud800', /U\+D800/],
  ['ls\u00a0-l', /plain word/],
  ['ls\u3000-l', /plain word/],
  ['echo a\u200bb', /plain word/],
  ['echo hi > file', /redirections/],
  ['echo hi >> file', /redirections/],
  ['cat < file', /redirections/],
  ['cat << END', /redirections|complete/],
  ['cat <<< text', /redirections/],
  ['ls 2>&1', /redirections/],
  ['ls &> file', /redirections/],
  ['ls {fd}> file', /redirections/],
  ['diff <(ls) <(id)', /plain word|redirections/],
  ['echo $HOME', /Variables/],
  ['echo ${HOME}', /Variables/],
  ['echo "$HOME"', /Variables/],
  ['echo $1 $@ $? $$', /Variables/],
  ['echo $((1+1))', /plain word/],
  ["echo $'a\\nb'", /\$-quotes/],
  ['echo $"a"', /\$-quotes/],
  ['echo $(id)', /substitutions/],
  ['echo "$(id)"', /substitutions/],
  ['echo `id`', /substitutions/],
  ['echo "a`id`b"', /substitutions/],
  ['$(echo ls)', /substitutions/],
  ['ls *.ts', /Wildcards/],
  ['ls a?', /Wildcards/],
  ['ls [ab]', /Wildcards/],
  ['ls @(a|b)', /plain word|shell syntax|complete/],
  ['[ -f a ]', /Wildcards/],
  ['[[ -f a ]]', /shell syntax/],
  ['ls {a,b}', /Braces/],
  ['ls a{1..3}', /Braces/],
  ['echo {}', /Braces/],
  ['ls ~', /no ~/],
  ['ls ~root/x', /no ~/],
  ['make DIR=~/x', /no ~/],
  ['echo a:~/x', /no ~/],
  ['echo !!', /exclamation/],
  ['echo "hi!"', /exclamation/],
  ['! ls', /shell syntax/],
  ['^a^b', /plain word/],
  ['ls # comment', /comments/],
  ['# comment', /complete|lists|empty/],
  ['#!/bin/sh', /lists|complete|empty/],
  ['A=b ls', /Variables cannot be set/],
  ['A=b', /Variables cannot be set/],
  ['A+=b ls', /Variables cannot be set/],
  ['A[1]=b', /Variables cannot be set/],
  ['a-b=c ls', /not the name/],
  ['export A=b', /part of a shell/],
  ['cd src', /cwd/],
  ['. ./x', /part of a shell/],
  ['source x', /part of a shell/],
  ['eval ls', /part of a shell/],
  ['exec ls', /part of a shell/],
  ['-c ls', /not the name/],
  ['"" ls', /not the name/],
  ["echo 'a", /Close every quote/],
  ['echo "a', /Close every quote/],
  ["echo it's", /Close every quote/],
  ['echo a\\', /plain word/],
  ['echo \\ü', /plain word/],
  ['if true; then ls; fi', /shell syntax/],
  ['for a in b; do ls; done', /shell syntax/],
  ['while true; do ls; done', /shell syntax/],
  ['case a in a) ls;; esac', /shell syntax/],
  ['(ls)', /shell syntax/],
  ['{ ls; }', /shell syntax/],
  ['((1+1))', /shell syntax/],
  ['f() { ls; }', /shell syntax/],
  ['function f { ls; }', /shell syntax/],
  ['time ls', /shell syntax/],
  ['coproc ls', /shell syntax/],
  ['select a in b; do ls; done', /shell syntax/],
  ['then', /shell syntax/],
  ['}', /shell syntax|complete/],
  ['ls )', /shell syntax|complete/],
  [`echo ${'a'.repeat(40_000)}`, /longer than/],
];

describe('parseCommand', () => {
  it.each(accepted)('parseCommand accepts %s', (text, argv) => {
    expect(argvOf(text)).toEqual(argv);
  });

  it.each(refused)('parseCommand refuses %j', (text, reason) => {
    expect(argvOf(text)).toMatch(reason);
  });

  it.each(shells)('parses accepted commands like %s', (shell) => {
    const texts = accepted.map(([text]) => text);
    expect(argvsOfShell(shell, texts)).toEqual(texts.map(argvOf));
  });

  it.each(shells)('parses random accepted commands like %s', (shell) => {
    const signs = `a ls -l . / = : , @ + % ~ ^ ! # { } {a,b} [ ] * ? $ $a ( ) < > | & ; \\ ' " ü 文 👍 0 1..3 '' if time - \\~`;
    const pieces = [
      ...signs.split(' '),
      '`',
      ' ',
      ' ',
      ' ',
      '\n',
      '\t',
      '\u00a0',
      "'x y'",
      '"x y"',
      '"\\$"',
      '\\ ',
    ];
    const texts = fc.oneof(
      fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
      fc
        .array(fc.constantFrom(...pieces.filter((piece) => /^[\w.,:@+%=~^'" -]+$/.test(piece))), {
          maxLength: 12,
        })
        .map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
    );
    const taken = fc
      .sample(texts, { numRuns: sized(4000, 20_000), seed: 7 })
      .filter((text) => 'argv' in parseCommand(text));
    expect(taken.length).toBeGreaterThan(sized(100, 500));
    expect(argvsOfShell(shell, taken)).toEqual(taken.map(argvOf));
  });

  it('parseCommand never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const parsed = parseCommand(text);
        expect('argv' in parsed ? parsed.argv.length : parsed.refused.length).toBeGreaterThan(0);
      }),
      { numRuns: sized(300, 2000) },
    );
    for (const one of ['(', '$(', '"', '{', '`', '\\', '"$(', '((', '<(']) argvOf(one.repeat(10_000));
    expect(argvOf(`echo "${'\\q'.repeat(15_000)}"`)).toHaveLength(2);
  });
});
