import { lstatSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stampOf, stampToKeep } from '../../../../src/core/memory/files/file-stamp.ts';
import { createIndexedTree } from './indexed-tree.ts';

describe('the stamp of a file', () => {
  it('stores a matching stamp only when a later change would be visible', () => {
    using world = createIndexedTree();
    const stats = lstatSync(world.write('a'), { bigint: true });
    const changedMs = Number(stats.ctimeNs / 1_000_000n);
    expect(stampToKeep(stats, changedMs + 1000)).toBe(stampOf(stats));
    for (const readMs of [changedMs - 1000, changedMs, changedMs + 40])
      expect(stampToKeep(stats, readMs)).not.toBe(stampOf(stats));
  });

  it('a file stamp changes with every file attribute that reveals a change', () => {
    using world = createIndexedTree();
    const stats = lstatSync(world.write('a'), { bigint: true });
    const stamps = ['size', 'mtimeNs', 'ctimeNs', 'ino', 'dev'].map((field) =>
      stampOf(Object.assign(Object.create(stats) as typeof stats, { [field]: 7n })),
    );
    expect(new Set([...stamps, stampOf(stats)]).size).toBe(6);
  });
});
