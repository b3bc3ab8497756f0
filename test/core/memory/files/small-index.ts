import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SyncOrder } from '../../../../src/core/memory/index/index-calls.ts';

const stampOf = (path: string) => {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return stats?.isFile() ? `${stats.size}.${stats.mtimeNs}.${stats.ctimeNs}.${stats.ino}` : undefined;
};

/** Stands in for the store and the sync: whole files in a map. */
export class SmallIndex {
  readonly texts = new Map<string, { stamp: string; text: string }>();
  /** All paths that were given to be synced, in their order. */
  readonly asked: string[] = [];
  progress: undefined | { basePath: string; phase: 'looking'; done: number };
  synced: string | null = null;
  failure: Error | undefined;
  /** How many files one call syncs at most. */
  most = Infinity;

  pathsAfter(path: string, limit: number): string[] {
    return [...this.texts.keys()]
      .filter((other) => other > path)
      .sort()
      .slice(0, limit);
  }
  has(path: string): boolean {
    return this.texts.has(path);
  }
  counts() {
    return { fileCount: this.texts.size, chunkCount: this.texts.size };
  }
  lastSyncAt(): string | null {
    return this.synced;
  }
  search(word: string) {
    const paths = [...this.texts].filter(([, { text }]) => text.includes(word)).map(([path]) => path);
    return { paths: paths.sort() };
  }

  syncFolder(folder: string): void {
    this.#sync(folder, { added: 0, updated: 0, removed: 0 });
    this.synced = new Date().toISOString();
  }

  syncPaths(paths: string[], _rules: Omit<SyncOrder, 'basePath'>, _deadline: number) {
    if (this.failure) throw this.failure;
    this.asked.push(...paths);
    const counts = { added: 0, updated: 0, removed: 0 };
    for (const path of paths.slice(0, this.most)) this.#sync(path, counts);
    return {
      outcome: { synced: 0, skipped: 0, cancelled: false, reasons: {}, ...counts },
      left: paths.slice(this.most),
    };
  }

  changedFiles(paths: string[] | 'all', _deadline: number) {
    const asked = paths === 'all' ? [...this.texts.keys()] : paths;
    const changed = asked.filter((path) => {
      const known = this.texts.get(path);
      return known && known.stamp !== stampOf(path);
    });
    return { changed, isComplete: true };
  }

  #sync(path: string, counts: { added: number; updated: number; removed: number }): void {
    for (const known of this.texts.keys())
      if ((known === path || known.startsWith(`${path}/`)) && stampOf(known) === undefined) {
        this.texts.delete(known);
        counts.removed++;
      }
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) for (const name of readdirSync(path)) this.#sync(join(path, name), counts);
    if (!stats?.isFile()) return;
    const stamp = stampOf(path) ?? '';
    const known = this.texts.get(path);
    if (known?.stamp === stamp) return;
    this.texts.set(path, { stamp, text: readFileSync(path, 'utf8') });
    if (known) counts.updated++;
    else counts.added++;
  }
}
