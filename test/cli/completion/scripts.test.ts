import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scripts } from '../../../src/cli/completion/scripts.ts';

const hasZsh = spawnSync('zsh', ['--version']).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-completion-'));
  mkdirSync(join(folder, 'bin'));
  // Answers with the words that it was asked about, and two candidates.
  const program = '#!/bin/sh\nprintf "%s|" "$@" >&3\nprintf "mine/llama3.2:latest\\tA model\\nm*\\t\\n"\n';
  writeFileSync(join(folder, 'bin/svc'), program, { mode: 0o755 });
  for (const [shell, text] of Object.entries(scripts)) writeFileSync(join(folder, `_svc.${shell}`), text);
  mkdirSync(join(folder, 'fpath'));
  writeFileSync(join(folder, 'fpath/_svc'), scripts.zsh);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a script of a shell prints, and with which words it asked svc. */
function run(shell: string, script: string) {
  const { stdout, stderr, output } = spawnSync(shell, [shell === 'zsh' ? '-f' : '--norc', '-c', script], {
    cwd: folder,
    env: { PATH: `${folder}/bin:${process.env['PATH']}`, HOME: folder },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  return { stdout, stderr, asked: output[3] };
}

const inBash = (...words: string[]) =>
  run(
    'bash',
    `source ./_svc.bash; COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
     COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
     _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
  );

describe('the completion of bash', () => {
  it.each<[string, string[], string, string]>([
    [
      'a word',
      ['svc', 'run', '--model', 'mi'],
      '__complete|--|run|--model|mi|',
      'mine/llama3.2:latest\nm*\n',
    ],
    [
      'a word with a colon',
      ['svc', 'run', '--model', 'mine/llama3.2', ':', 'la'],
      '__complete|--|run|--model|mine/llama3.2:la|',
      'latest\nm*\n',
    ],
    [
      'a word that ends with a colon',
      ['svc', 'run', 'mine/llama3.2', ':'],
      '__complete|--|run|mine/llama3.2:|',
      'latest\nm*\n',
    ],
    [
      'the value behind an equals sign',
      ['svc', 'run', '--model', '=', 'mi'],
      '__complete|--|run|--model|mi|',
      'mine/llama3.2:latest\nm*\n',
    ],
    [
      'an empty value behind an equals sign',
      ['svc', 'run', '--model', '='],
      '__complete|--|run|--model||',
      'mine/llama3.2:latest\nm*\n',
    ],
    ['the first word', ['svc', ''], '__complete|--||', 'mine/llama3.2:latest\nm*\n'],
  ])('completes %s', (_, words, asked, stdout) => {
    expect(inBash(...words)).toEqual({ stdout, stderr: '', asked });
  });
});

describe('the completion of zsh', () => {
  it('completes the first time that the file is loaded, too', () => {
    expect(scripts.zsh).toMatch(/^#compdef svc\n/);
    expect(scripts.zsh).toMatch(/\nif \[\[ \$\{funcstack\[1\]\} == _svc \]\]; then\n {2}_svc "\$@"\nelse\n/);
  });

  it.skipIf(!hasZsh)('is a function that can be loaded on demand', () => {
    const script = `fpath=(./fpath); autoload -Uz _svc; words=(svc run ''); CURRENT=3
      _describe() { print -rl -- "\${(@P)2}"; }; _files() { print files; }; _svc; _svc`;
    const once = 'mine/llama3.2\\:latest:A model\nm*:\n';
    const asked = '__complete|--|run||';
    expect(run('zsh', script)).toEqual({ stdout: once + once, stderr: '', asked: asked + asked });
  });

  it.skipIf(!hasZsh)('registers itself when it is evaluated, and in a shell without completion', () => {
    const script = 'eval "$(<_svc.zsh)"; print ${_comps[svc]}';
    expect(run('zsh', script)).toMatchObject({ stdout: '_svc\n', asked: '' });
  });
});
