import { expect, it } from 'vitest';
import { readShellWords } from '../../../src/core/agent-programs/shell-words.ts';

const programs = (text: string) =>
  readShellWords(text)
    .argvs.map((argv) => argv.join(' '))
    .sort();

it('finds the commands of lists, pipes, groups, conditions, loops, functions and substitutions', () => {
  expect(programs('a 1 && b 2; c 3 | d 4 &')).toEqual(['a 1', 'b 2', 'c 3', 'd 4']);
  expect(programs('(a 1; { b 2; })')).toEqual(['a 1', 'b 2']);
  expect(programs('if a 1; then b 2; else c 3; fi')).toEqual(['a 1', 'b 2', 'c 3']);
  expect(programs('for f in x; do a "$f"; done; while b 2; do c 3; done')).toEqual(['a $f', 'b 2', 'c 3']);
  expect(programs('f() { a 1; }; f')).toEqual(['a 1', 'f']);
  expect(programs('a "$(b 2 $(c 3))" `d 4`')).toContain('c 3');
  expect(programs('a <(b 2)')).toContain('b 2');
});

it('finds the files of redirections, not devices and descriptors', () => {
  expect(readShellWords('a >x 2>>y <z 2>&1 >/dev/null <<EOF\ntext\nEOF').redirects).toEqual(
    expect.arrayContaining([
      { path: 'x', operation: 'write' },
      { path: 'y', operation: 'write' },
      { path: 'z', operation: 'read' },
    ]),
  );
  expect(readShellWords('a 2>&1 >/dev/null').redirects).toEqual([]);
});

it('finds the words of a text that no shell would take', () => {
  expect(programs('echo "never closed; cat /etc/shadow').join(' ')).toContain('/etc/shadow');
  expect(programs(')( cat /etc/shadow').join(' ')).toContain('/etc/shadow');
  expect(programs('')).toEqual([]);
});
