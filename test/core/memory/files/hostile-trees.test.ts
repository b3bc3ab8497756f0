import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DirectoryCursor } from '../../../../src/core/memory/files/directory-cursor.ts';
import { readText } from '../../../../src/core/memory/files/read-text.ts';
import { SkippedFiles } from '../../../../src/core/memory/files/skipped-files.ts';
import { TreeWalk } from '../../../../src/core/memory/files/tree-walk.ts';
import { isSecretPath } from '../../../../src/core/paths/secret-paths.ts';
import { WalkRules } from '../../../../src/core/memory/files/walk-rules.ts';
import { orphans, pathsIn, createIndexedTree } from './indexed-tree.ts';
import { sized } from '../../../helpers/long.ts';

const FILES = sized(4000, 100_000);

const nowhere = '/no/descriptors';

describe('a hostile tree', () => {
  it('follows no symlink of any kind', async () => {
    using world = createIndexedTree();
    const secret = join(world.root, 'outside');
    world.write(join(secret, 'canary.txt'), 'CANARY\n');
    for (let at = 0; at < 200; at++) symlinkSync(secret, world.at(`to-${at}`));
    symlinkSync(world.base, world.at('loop'));
    symlinkSync('self', world.at('self'));
    symlinkSync(join(secret, 'canary.txt'), world.at('file'));
    symlinkSync(join(secret, 'canary.txt'), world.at('.gitignore'));
    world.write('real');
    expect(await world.syncDirectory()).toMatchObject({ added: 1, reasons: { link: 204 } });
    expect(world.syncPaths(['to-1/canary.txt', 'loop/real', 'file', 'to-2']).outcome.added).toBe(0);
    expect(world.paths()).toEqual(['real']);
  });

  it('does not block on pipes, sockets and devices', async () => {
    using world = createIndexedTree();
    execFileSync('mkfifo', [world.at('pipe'), world.at('.gitignore')]);
    const server = createServer().listen(world.at('socket'));
    await once(server, 'listening');
    world.write('real');
    expect(await world.syncDirectory()).toMatchObject({ added: 1, reasons: { 'not a regular file': 3 } });
    expect(world.syncPaths(['pipe', 'socket']).outcome).toMatchObject({ added: 0, skipped: 2 });
    server.close();
  });

  it('skips a file that was replaced after it was seen', async () => {
    using world = createIndexedTree();
    world.write('outside/x', 'CANARY\n');
    world.write('in/x', 'mine\n');
    world.write('in/y', 'mine\n');
    const roots = [world.at('in')];
    const walk = new TreeWalk({
      roots,
      protectedDirectories: [],
      maxFileBytes: 1000,
      skipped: new SkippedFiles(),
    });
    const seen = [...walk.from(world.at('in'))];
    expect(seen).toHaveLength(2);
    for (const descriptors of [undefined, nowhere]) {
      using directories = new DirectoryCursor(world.at('in'), descriptors);
      rmSync(world.at('in/x'));
      symlinkSync(world.at('outside/x'), world.at('in/x'));
      expect(() => directories.openFile('x')).toThrow('ELOOP');
    }
  });

  it.each([undefined, nowhere])(
    'does not follow a folder that becomes a symlink during the walk (descriptors in %s)',
    (descriptors) => {
      using world = createIndexedTree();
      world.write('secret/deep/x', 'CANARY\n');
      world.write('in/deep/x', 'mine\n');
      using directories = new DirectoryCursor(world.base, descriptors);
      directories.enter('in');
      renameSync(world.at('in'), world.at('old'));
      symlinkSync(world.at('secret'), world.at('in'));
      // Open directories stay what they were; a path that is resolved again is rejected.
      let text = 'refused';
      try {
        directories.enter('deep');
        const descriptor = directories.openFile('x');
        const read = readText(descriptor, 5, 1000);
        closeSync(descriptor);
        text = typeof read === 'string' ? read : read.text;
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOENT' });
      }
      expect(text).toBe(descriptors === undefined ? 'mine\n' : 'refused');
      using again = new DirectoryCursor(world.base, descriptors);
      expect(() => again.enter('in')).toThrow(/ELOOP|ENOTDIR/);
      expect(() => new DirectoryCursor(world.at('in/deep'), descriptors)).toThrow('replaced');
    },
  );

  it('handles names that are not UTF-8, very long or multi-line', async () => {
    using world = createIndexedTree();
    writeFileSync(Buffer.concat([Buffer.from(`${world.base}/bad`), Buffer.from([0xff, 0xfe])]), 'x');
    mkdirSync(Buffer.concat([Buffer.from(`${world.base}/dir`), Buffer.from([0xc0])]));
    const names = [
      'two\nlines',
      'x'.repeat(255),
      'ünï😀',
      ' ',
      '...',
      "'; drop table files; --",
      '%_*?[a]',
      '"',
      '\\',
    ];
    for (const name of names) world.write(name);
    expect(await world.syncDirectory()).toMatchObject({
      added: names.length,
      reasons: { 'name is not UTF-8': 2 },
    });
    expect(world.paths().sort()).toEqual(names.sort());
    expect(await world.syncDirectory()).toMatchObject({ synced: names.length, added: 0, removed: 0 });
    rmSync(world.at('%_*?[a]'));
    expect(await world.syncDirectory()).toMatchObject({ removed: 1 });
  });

  it('handles trees deeper than the maximum path length', { timeout: 180_000 }, async () => {
    using world = createIndexedTree();
    // Goes down step by step, which no path could.
    const dig = `const fs = require('fs');
      for (let level = 0; level < 3000; level++) {
        fs.mkdirSync('d'); process.chdir('d'); fs.writeFileSync('f', 'word');
      }`;
    execFileSync(process.execPath, ['-e', dig], { cwd: world.base });
    try {
      const outcome = await world.syncDirectory();
      expect(outcome.added).toBeGreaterThan(1900);
      expect(Object.keys(outcome.reasons)).toEqual(['path too long']);
      const again = await world.syncDirectory();
      expect(again).toMatchObject({ added: 0, updated: 0, removed: 0, synced: outcome.added });
      const deepest = pathsIn(world.store).at(-1) ?? '';
      expect(world.sync.changedFiles('all', Infinity)).toEqual({ changed: [], isComplete: true });
      expect(world.syncPaths([deepest]).outcome).toMatchObject({ synced: 1 });
    } finally {
      execFileSync('rm', ['-rf', world.at('d')]);
    }
    expect(await world.syncDirectory()).toMatchObject({ synced: 0 });
    expect(world.store.counts()).toEqual({ fileCount: 0, chunkCount: 0 });
  });

  it('moves back up in deep trees while few folders stay open', async () => {
    using world = createIndexedTree();
    let directory = '';
    for (let level = 0; level < 200; level++) {
      directory += 'd/';
      world.write(`${directory}z/below`);
      world.write(`${directory}f`);
    }
    const walk = new TreeWalk({ ...world.request, protectedDirectories: [], skipped: new SkippedFiles() });
    const before = readdirSync('/proc/self/fd').length;
    let most = 0;
    let files = 0;
    for (const step of walk.from(world.base)) {
      if (typeof step === 'object') files++;
      most = Math.max(most, readdirSync('/proc/self/fd').length - before);
    }
    expect(files).toBe(400);
    expect(most).toBeLessThan(100);
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
    expect(await world.syncDirectory()).toMatchObject({ added: 400 });
  });

  it('stops at too many nested rule files', async () => {
    using world = createIndexedTree();
    let directory = '';
    for (let level = 0; level < 100; level++) {
      world.write(`${directory}.gitignore`, '*.log\n');
      world.write(`${directory}f`);
      directory += 'd/';
    }
    world.write('big/.gitignore', 'a\n'.repeat(600_000));
    world.write('big/a');
    const { reasons } = await world.syncDirectory();
    expect(reasons).toEqual({ 'too many ignore rules': 2 });
    expect(world.paths()).not.toContain('big/a');
  });

  it('skips a huge file without reading it', async () => {
    using world = createIndexedTree();
    const sparse = openSync(world.at('huge'), 'w');
    ftruncateSync(sparse, 100 * 2 ** 20);
    const before = process.memoryUsage().rss;
    expect(await world.syncDirectory()).toMatchObject({ added: 0, reasons: { 'too large': 1 } });
    expect(process.memoryUsage().rss - before).toBeLessThan(30 * 2 ** 20);
    // Such a one that grew after it was seen is read no further than the limit.
    const descriptor = openSync(world.at('huge'), 'r');
    expect(readText(descriptor, 10, 1000)).toBe('binary');
    closeSync(descriptor);
    const text = world.write('text', 'x'.repeat(5000));
    const grown = openSync(text, 'r');
    expect(readText(grown, 10, 1000)).toBe('too large');
    closeSync(grown);
    const exact = openSync(text, 'r');
    expect(readText(exact, 10, 5000)).toMatchObject({ size: 5000 });
    closeSync(exact);
    closeSync(sparse);
  });

  it('handles files that grow and shrink while they are read', async () => {
    using world = createIndexedTree();
    for (let at = 0; at < 300; at++) world.write(`f${at}`, 'word\n'.repeat(100));
    const sync = world.syncDirectory();
    let isOver = false;
    const edits = (async () => {
      for (let at = 0; !isOver; at++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (at % 3 === 0) rmSync(world.at(`f${at % 300}`), { force: true });
        else world.write(`f${at % 300}`, 'zebra\n'.repeat(at % 500));
      }
    })();
    await sync;
    isOver = true;
    await edits;
    await world.syncDirectory();
    const outcome = await world.syncDirectory();
    expect(outcome).toMatchObject({
      added: 0,
      updated: 0,
      removed: 0,
      synced: world.store.counts().fileCount,
    });
    expect(orphans(world.database)).toBe(0);
  });

  it(`handles ${FILES} files, half of them in one directory`, { timeout: 180_000 }, async () => {
    const [part, rest] = [FILES * 0.6, FILES * 0.4];
    using world = createIndexedTree();
    for (let at = 0; at < 50; at++) mkdirSync(world.at(`${at}`));
    for (let at = 0; at < FILES; at++) writeFileSync(world.at(at % 2 ? `f${at}` : `${at % 50}/f${at}`), '');
    const files = (maxFiles: number) => world.syncDirectory({ maxFiles });
    expect(await files(part)).toMatchObject({
      added: part,
      skipped: rest,
      reasons: { 'over the limit of files': rest },
    });
    expect(await files(FILES)).toMatchObject({ added: rest, skipped: 0 });
    expect(await files(FILES)).toMatchObject({ synced: FILES, added: 0 });
    expect(orphans(world.database)).toBe(0);
  });

  it('recognizes secrets at any depth', () => {
    using world = createIndexedTree();
    for (const depth of [0, 1, 3, 4, 5, 8])
      for (const secret of [
        '.ssh',
        '.config/gcloud',
        '.kube/config',
        '.cache/huggingface/token',
        'id_rsa',
        '.local/share/keyrings',
        'etc/shadow',
        'notes.md',
        'config/gh',
      ]) {
        const names = [...Array.from({ length: depth }, (_, at) => `l${at}`), ...secret.split('/')];
        const directory = join(world.base, ...names.slice(0, -1));
        mkdirSync(directory, { recursive: true });
        using directories = new DirectoryCursor(directory);
        const rules = WalkRules.above(world.base, world.base).within(directories);
        const place = join(directory, names.at(-1) ?? '');
        expect([place, rules?.exclusionReason(place, names.at(-1) ?? '', false)]).toEqual([
          place,
          isSecretPath(place) ? 'secret' : undefined,
        ]);
      }
  });
});
