import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/** Everything that is loaded with a file, before anything is asked of it. */
function loadedWith(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  const text = readFileSync(join(root, file), 'utf8');
  for (const [, target = ''] of text.matchAll(/^(?:import|export) (?!type)[^;]*?from '([^']+)'/gm))
    if (target.startsWith('.')) loadedWith(join(dirname(file), target), known);
    else known.add(target);
  return known;
}

const commands = globSync('src/cli/commands/*.ts', { cwd: root });

it.each([
  'src/cli/main.ts',
  'src/cli/program/run-cli.ts',
  ...commands,
  'src/cli/commands/chat/plain-chat.ts',
])('loads no screen module with %s', (file) => {
  const loaded = [...loadedWith(file)];
  expect(loaded.filter((each) => /^(ink|react|marked|sugar-high)|\.tsx$/.test(each))).toEqual([]);
});

it('loads what colours code only once there is an answer', () => {
  const loaded = [...loadedWith('src/cli/tui/chat/start-chat.tsx')];
  expect(loaded.filter((each) => each.startsWith('sugar-high'))).toEqual([]);
});

it('the check sees the modules that the screen loads', () => {
  expect([...loadedWith('src/cli/tui/chat/start-chat.tsx')]).toEqual(
    expect.arrayContaining(['ink', 'react', 'marked', 'src/cli/tui/parts/theme.tsx']),
  );
});
