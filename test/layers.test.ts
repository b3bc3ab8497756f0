import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { coreOrder } from './core-order.ts';
import { type Import, importsBelow, importsIn } from './helpers/imports.ts';

const root = new URL('..', import.meta.url).pathname;
const imports = importsBelow('src');

/** What each layer may import. */
const layers: Record<string, readonly string[]> = {
  contract: ['contract'],
  core: ['contract', 'core'],
  daemon: ['contract', 'core', 'daemon'],
  cli: ['contract', 'cli'],
  web: ['contract', 'web'],
};
/**
 * `svc daemon` is the program in which the layers meet; backups are checked and restored, databases are copied, and archives
 * of the audit log are verified, where no daemon can be asked.
 */
const meeting =
  /^src\/cli\/commands\/(daemon(\/serve)?|backup\/backup-files|storage\/storage-files|audit\/archive-check)\.ts$/;

const part = (path: string, at: number) => path.split('/')[at] ?? '';

/** One sentence for an import of the core that goes upwards, or to something that has no place in the order. */
function upward({ from, to }: Import, order: readonly string[] = coreOrder): string | undefined {
  const [own, other] = [part(from, 2), part(to, 2)];
  if (order.indexOf(other) <= order.indexOf(own)) return undefined;
  return `${from} imports ${to}, and ${other} stands above ${own} in test/core-order.ts: move what both need below them, or pass it in`;
}

describe('the layers', () => {
  it('import only what is below them', () => {
    const wrong = imports.filter(({ from, to }) => {
      const allowed = layers[part(from, 1)] ?? Object.keys(layers);
      return part(to, 0) !== 'src' || !(allowed.includes(part(to, 1)) || meeting.test(from));
    });
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('are found in the sources, with their imports', () => {
    expect(readdirSync(`${root}src`).sort()).toEqual(Object.keys(layers).sort());
    for (const layer of Object.keys(layers))
      expect(imports.filter(({ from }) => part(from, 1) === layer).length).toBeGreaterThan(50);
  });
});

describe('the order of the core', () => {
  it('lists every folder and root file of src/core once, and nothing else', () => {
    expect([...coreOrder].sort()).toEqual(readdirSync(`${root}src/core`).sort());
  });

  it('is kept by every import, types included', () => {
    const inCore = imports.filter(({ from, to }) => [from, to].every((path) => path.startsWith('src/core/')));
    expect(inCore.length).toBeGreaterThan(1000);
    expect(inCore.flatMap((each) => upward(each) ?? [])).toEqual([]);
  });

  it.each([
    `import type { Task } from '../tasks/task.ts';`,
    `import {\n  a,\n  type B,\n} from '../tasks/task.ts';`,
    `export * from '../tasks/task.ts';`,
    `import '../tasks/task.ts';`,
    `const { a } = await import('../tasks/task.ts');`,
    `type B = import('../tasks/task.ts').B;`,
  ])('would name the file of %j', (text) => {
    const [found] = importsIn('src/core/storage/rows.ts', text);
    expect(found && upward(found)).toContain(
      'src/core/storage/rows.ts imports src/core/tasks/task.ts, and tasks',
    );
  });
});
