import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, root } from '../cli/svc-binary.ts';

/** What a person waits for on a slow connection, in kB of gzip. */
const budgets = { firstScripts: 130, firstStyles: 8, page: 15, lazyPart: 80 };

const web = join(root, 'dist/web');
const read = (name: string) => readFileSync(join(web, 'assets', name), 'utf8');
const sizeOf = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0) / 1000;

/** The files that a chunk always loads with itself, its own name among them. */
function loadedWith(chunk: string, known = new Set<string>()): Set<string> {
  if (known.has(chunk)) return known;
  known.add(chunk);
  for (const [, name = ''] of read(chunk).matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g))
    loadedWith(name, known);
  return known;
}

interface Part {
  scripts: Set<string>;
  styles: string[];
}

/** What a chunk loads later, each with all that comes with it. */
function lazyParts(chunk: string): Map<string, Part> {
  const text = read(chunk);
  const listed = /m\.f\|\|\(m\.f=(\[[^\]]*\])/.exec(text)?.[1];
  const files = listed === undefined ? [] : (JSON.parse(listed.replaceAll("'", '"')) as string[]);
  const calls = text.matchAll(/import\([`"']\.\/([\w.-]+\.js)[`"']\)(?:,__vite__mapDeps\(\[([\d,]*)\]\))?/g);
  return new Map(
    [...calls].map(([, name = '', indices = '']) => {
      const styles = indices
        .split(',')
        .filter((index) => index !== '')
        .map((index) => basename(files[Number(index)] ?? ''))
        .filter((file) => file.endsWith('.css'));
      return [name, { scripts: loadedWith(name), styles }];
    }),
  );
}

describe('what a browser loads', () => {
  let first: Part;
  let pages: Map<string, Part>;
  beforeAll(() => {
    ensureBuilt();
    const html = readFileSync(join(web, 'index.html'), 'utf8');
    const named = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, path = '']) => basename(path));
    const entry = named(/<script type="module"[^>]* src="([^"]+)"/g)[0] ?? '';
    pages = lazyParts(entry);
    const inbox = [...pages].find(([name]) => name.startsWith('inbox-'))?.[1];
    first = {
      scripts: new Set([...loadedWith(entry), ...(inbox?.scripts ?? [])]),
      styles: [...named(/rel="stylesheet"[^>]* href="([^"]+)"/g), ...(inbox?.styles ?? [])],
    };
  });
  /** Without the library for long lists, which is loaded once for all pages with one. */
  const beyondFirst = ({ scripts }: Part) =>
    sizeOf([...scripts].filter((name) => !first.scripts.has(name) && !name.startsWith('virtual-')));

  it('is small for the first page', () => {
    expect(pages.size).toBeGreaterThan(6);
    expect(sizeOf(first.scripts)).toBeGreaterThan(50);
    expect(sizeOf(first.scripts)).toBeLessThan(budgets.firstScripts);
    expect(sizeOf(new Set(first.styles))).toBeGreaterThan(1);
    expect(sizeOf(new Set(first.styles))).toBeLessThan(budgets.firstStyles);
  });

  it('is small for every further page', () => {
    const sizes = [...pages].map(([name, part]) => [name, beyondFirst(part)] as const);
    expect(sizes.filter(([, size]) => size > budgets.page)).toEqual([]);
  });

  it('is bounded for what a page loads later', () => {
    const later = [...pages.values()].flatMap(({ scripts }) =>
      [...scripts].flatMap((name) =>
        [...lazyParts(name)].map(([part, loaded]) => [part, beyondFirst(loaded)] as const),
      ),
    );
    expect(later.length).toBeGreaterThan(3);
    expect(later.filter(([, size]) => size > budgets.lazyPart)).toEqual([]);
  });
});
