import { lstatSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stampOf, stampToKeep } from '../../../../src/core/memory/files/file-stamp.ts';
import { plantFiles } from './indexed-tree.ts';

describe('the stamp of a file', () => {
  it('is kept only where a later change would show', () => {
    using world = plantFiles();
    const stats = lstatSync(world.write('a'), { bigint: true });
    const changedMs = Number(stats.ctimeNs / 1_000_000n);
    expect(stampToKeep(stats, changedMs + 1000)).toBe(stampOf(stats));
    for (const readMs of [changedMs - 1000, changedMs, changedMs + 40])
      expect(stampToKeep(stats, readMs)).not.toBe(stampOf(stats));
  });

  it('differs with whatever tells of a change', () => {
    using world = plantFiles();
    const stats = lstatSync(world.write('a'), { bigint: true });
    const stamps = ['size', 'mtimeNs', 'ctimeNs', 'ino', 'dev'].map((field) =>
      stampOf(Object.assign(Object.create(stats) as typeof stats, { [field]: 7n })),
    );
    expect(new Set([...stamps, stampOf(stats)]).size).toBe(6);
  });
});
