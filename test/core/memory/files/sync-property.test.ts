import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IndexedTree, find, openIndex, orphans, pathsIn, createIndexedTree } from './indexed-tree.ts';
import { sized } from '../../../helpers/long.ts';

const names = ['a', 'b.md', 'c.ts', 'A', '.d', 'node_modules', '.env', '.gitignore'];
const name = fc.constantFrom(...names);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const WORDS = ['zebra', 'lion', 'apple', 'quince'];
const text = fc.oneof(
  fc
    .array(fc.constantFrom(...WORDS, '\n', '# Head\n', 'a', '*.md', '!c.ts', '/b.md', 'A/'), {
      maxLength: 30,
    })
    .map((all) => all.join('\n')),
  fc.constantFrom('', '\0', 'x'.repeat(3000), `${'many lines of lion\n'.repeat(300)}`),
);
const edit = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), path, text }),
  fc.record({ kind: fc.constant('append' as const), path, text }),
  fc.record({ kind: fc.constant('rename' as const), path, to: path }),
  fc.record({ kind: fc.constant('remove' as const), path }),
  fc.record({ kind: fc.constant('folder' as const), path }),
  fc.record({ kind: fc.constant('link' as const), path, to: path }),
  fc.record({ kind: fc.constant('rules' as const), path, text }),
);
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

/** What a person or program would do; what the tree does not allow is not done. */
function apply(world: IndexedTree, change: Edit): string[] {
  const at = world.at(change.path);
  const touched = [at, ...realPlaces(at)];
  if (change.kind === 'rename') touched.push(...realPlaces(world.at(change.to)));
  try {
    if (change.kind === 'write' || change.kind === 'append') {
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, change.text, { flag: change.kind === 'write' ? 'w' : 'a' });
    } else if (change.kind === 'rules') {
      mkdirSync(dirname(at), { recursive: true });
      touched.push(join(dirname(at), '.gitignore'), ...realPlaces(join(dirname(at), '.gitignore')));
      writeFileSync(join(dirname(at), '.gitignore'), change.text);
    } else if (change.kind === 'rename') {
      touched.push(world.at(change.to));
      renameSync(at, world.at(change.to));
    } else if (change.kind === 'remove') rmSync(at, { recursive: true });
    else if (change.kind === 'folder') mkdirSync(at, { recursive: true });
    else {
      rmSync(at, { recursive: true, force: true });
      symlinkSync(world.at(change.to), at);
    }
  } catch {
    // The tree did not allow the edit; fast-check continues with what exists.
  }
  return [...touched, ...realPlaces(at)];
}

/** Where a path leads by links, too. */
function realPlaces(at: string): string[] {
  try {
    const place = join(realpathSync(dirname(at)), basename(at));
    return existsSync(at) ? [place, realpathSync(at)] : [place];
  } catch {
    return [];
  }
}

/** Everything visible of an index, without ids and times. */
function contentsOf(index: Pick<IndexedTree, 'store' | 'keywords' | 'database'>) {
  const paths = pathsIn(index.store);
  return {
    files: paths.map((at) => {
      const file = index.store.list({ limit: 1000, offset: 0 }).files.find((one) => one.path === at);
      const chunks = index.store.chunksOf(at)?.map((chunk) => ({ ...chunk, id: '' }));
      return { path: at, hash: file?.hash, size: file?.size, chunkCount: file?.chunkCount, chunks };
    }),
    found: Object.fromEntries([...WORDS, 'head', 'md'].map((word) => [word, find(index, word)])),
    orphans: orphans(index.database),
  };
}

async function fromScratch(world: IndexedTree, file: string, roots: string[]) {
  const fresh = openIndex(join(world.root, file));
  try {
    await fresh.sync.syncDirectory({ ...world.request, roots, maxFileBytes: 2500 });
    return contentsOf(fresh);
  } finally {
    fresh.database.close();
  }
}

describe('an index that is kept up to date', () => {
  it(
    'the index equals a new index after any edits and syncs of folders or paths',
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.array(edit, { minLength: 1, maxLength: 8 }), fc.boolean()), {
            minLength: 1,
            maxLength: 4,
          }),
          fc.boolean(),
          async (rounds, hasInner) => {
            using world = createIndexedTree();
            const roots = [world.base, ...(hasInner ? [world.at('a/A')] : [])];
            for (const [round, [edits, isByPaths]] of rounds.entries()) {
              const touched = edits.flatMap((change) => apply(world, change));
              if (isByPaths) world.syncPaths(touched, { roots, maxFileBytes: 2500 });
              else {
                const before = new Map(
                  world.store.list({ limit: 1000, offset: 0 }).files.map((one) => [one.path, one.hash]),
                );
                const outcome = await world.syncDirectory({ roots, maxFileBytes: 2500 });
                const after = new Map(
                  world.store.list({ limit: 1000, offset: 0 }).files.map((one) => [one.path, one.hash]),
                );
                const added = [...after.keys()].filter((at) => !before.has(at)).length;
                const updated = [...after].filter(
                  ([at, hash]) => before.has(at) && before.get(at) !== hash,
                ).length;
                const removed = [...before.keys()].filter((at) => !after.has(at)).length;
                expect(outcome).toMatchObject({ synced: after.size, added, updated, removed });
              }
              expect(contentsOf(world)).toEqual(await fromScratch(world, `fresh-${round}.db`, roots));
            }
          },
        ),
        { numRuns: sized(8, 40) },
      );
    },
  );

  it('the index keeps no orphans of deleted files', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(path, text), { minLength: 1, maxLength: 10 }),
        fc.infiniteStream(fc.nat()),
        async (files, choice) => {
          using world = createIndexedTree();
          for (const [at, content] of files) apply(world, { kind: 'write', path: at, text: content });
          await world.syncDirectory();
          for (
            let remaining = world.store.counts().fileCount;
            remaining > 0;
            remaining = world.store.counts().fileCount
          ) {
            const paths = pathsIn(world.store);
            const chosen = paths[choice.next().value % paths.length] ?? '';
            const chunks = world.store.chunksOf(chosen) ?? [];
            const chunk = chunks[choice.next().value % Math.max(chunks.length, 1)];
            if (chunk && choice.next().value % 2 === 0) expect(world.store.removeChunk(chunk.id)).toBe(true);
            else expect(world.store.removeFile(chosen)).toBe(true);
            expect(orphans(world.database)).toBe(0);
          }
          expect(world.store.counts().chunkCount).toBe(0);
          for (const word of WORDS) expect(world.find(word)).toEqual([]);
        },
      ),
      { numRuns: sized(6, 30) },
    );
  });
});
