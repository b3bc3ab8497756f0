import type { Kysely } from 'kysely';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { MemoryFileRow, MemoryStreamRow } from '../../storage/rows/shared-memory.ts';
import type { Schema } from '../../storage/schema.ts';
import type { SharedFile, StoredChunk, StoredFile, UnpublishedFile } from '../index/index-calls.ts';
import { REMEMBERED_MS, takeIdBlock } from './memory-streams.ts';

/** How many files are read at a time, and about how many bytes of them. */
const PAGE = 100;
const PAGE_BYTES = 2 * 2 ** 20;

export interface SharedFilesDeps {
  database: Database;
  /** `now` is the time of the database. */
  runtime: Pick<Runtime, 'now'>;
}

/** What became of changes: the numbers that they got, `undefined` for those that came too late. */
export interface PublishedFiles {
  before: number;
  rev: number;
  files: { path: string; version: number; rev?: number }[];
}

/** The indexed files of a cluster, in its database. */
export class SharedFiles {
  readonly #deps: SharedFilesDeps;
  constructor(deps: SharedFilesDeps) {
    this.#deps = deps;
  }

  /** The folders by their paths. */
  async roots(): Promise<Map<string, MemoryStreamRow>> {
    const rows = await this.#deps.database.read
      .selectFrom('memory_streams')
      .selectAll()
      .where('name', '>=', '/')
      .where('name', '<', '0')
      .execute();
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** Makes a daemon the one that reads the files of a folder. */
  async keep(name: string, host: string, keeper: string): Promise<void> {
    // A folder that was forgotten and comes again begins above all that anybody has read of it.
    const rev = this.#deps.runtime.now().getTime();
    await this.#deps.database.write(({ db }) =>
      db
        .insertInto('memory_streams')
        .values({ name, rev, floor: rev, host, keeper, synced_at: null })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ host, keeper }))
        .execute(),
    );
  }

  /** Forgets a folder that this daemon kept and that is not to be indexed any more. */
  async drop(name: string, keeper: string): Promise<void> {
    await this.#deps.database.write(async ({ db }) => {
      const dropped = await db
        .deleteFrom('memory_streams')
        .where('name', '=', name)
        .where('keeper', '=', keeper)
        .returning('name')
        .execute();
      if (dropped.length > 0) await db.deleteFrom('memory_files').where('root', '=', name).execute();
    });
  }

  /** Notes that a folder is indexed as it is. */
  async markSynced(name: string, keeper: string): Promise<void> {
    await this.#deps.database.write(({ db }) =>
      db
        .updateTable('memory_streams')
        .set({ synced_at: this.#now() })
        .where('name', '=', name)
        .where('keeper', '=', keeper)
        .execute(),
    );
  }

  /** Some of the changes of a folder after a number, in their order. */
  async after(root: string, rev: number): Promise<{ files: SharedFile[]; isLast: boolean }> {
    const changed = this.#deps.database.read
      .selectFrom('memory_files')
      .where('root', '=', root)
      .where('rev', '>', rev)
      .orderBy('rev');
    const sizes = await changed.select(['rev', 'size']).limit(PAGE).execute();
    let bytes = 0;
    const upTo = sizes.findIndex(({ size }) => (bytes += size) > PAGE_BYTES);
    const last = (upTo === -1 ? sizes.at(-1) : sizes[upTo])?.rev;
    if (last === undefined) return { files: [], isLast: true };
    // One that changes between the queries comes later, with a higher number.
    const rows = await changed.selectAll().where('rev', '<=', last).execute();
    return { files: rows.map(toShared), isLast: sizes.length < PAGE && last === sizes.at(-1)?.rev };
  }

  /** Stores changes of the daemon that has the files; undefined where another one has them by now. */
  publish(
    root: string,
    keeper: string,
    files: readonly UnpublishedFile[],
  ): Promise<PublishedFiles | undefined> {
    return this.#deps.database.write(async ({ db }) => {
      const raised = await db
        .updateTable('memory_streams')
        .set((is) => ({ rev: is('rev', '+', files.length), synced_at: this.#now() }))
        .where('name', '=', root)
        .where('keeper', '=', keeper)
        .returning('rev')
        .executeTakeFirst();
      if (!raised) return undefined;
      const { rev } = raised;
      const before = rev - files.length;
      const numbered = files.map((file, at) => ({ ...file, rev: before + at + 1 }));
      await db
        .insertInto('memory_files')
        .values(numbered.map((file) => this.#toRow(root, file)))
        .onConflict((conflict) =>
          conflict.column('path').doUpdateSet((is) => ({
            root: is.ref('excluded.root'),
            rev: is.ref('excluded.rev'),
            hash: is.ref('excluded.hash'),
            size: is.ref('excluded.size'),
            stamp: is.ref('excluded.stamp'),
            place_length: is.ref('excluded.place_length'),
            updated_at: is.ref('excluded.updated_at'),
            chunks: is.ref('excluded.chunks'),
            changed_at: is.ref('excluded.changed_at'),
          })),
        )
        .execute();
      return {
        before,
        rev,
        files: numbered.map(({ path, version, rev: own }) => ({ path, version, rev: own })),
      };
    });
  }

  /**
   * Stores what a user removed on a daemon that has not the files, each unless the file has changed since: then what was
   * removed is gone anyway; undefined where the folder is forgotten.
   */
  publishRemovals(root: string, files: readonly UnpublishedFile[]): Promise<PublishedFiles | undefined> {
    return this.#deps.database.write(async ({ db }) => {
      const raised = await db
        .updateTable('memory_streams')
        .set((is) => ({ rev: is('rev', '+', files.length) }))
        .where('name', '=', root)
        .returning('rev')
        .executeTakeFirst();
      if (!raised) return undefined;
      const { rev } = raised;
      const before = rev - files.length;
      const published: PublishedFiles['files'] = [];
      for (const [at, file] of files.entries()) {
        const { path, version } = file;
        let removal = db
          .updateTable('memory_files')
          .set(this.#toRow(root, { ...file, rev: before + at + 1 }))
          .where('path', '=', path)
          .where('root', '=', root)
          .where('rev', '=', file.shared?.rev ?? -1);
        // What is left of the file is a part of what is stored.
        if (file.file) removal = removal.where('hash', '=', file.file.hash);
        const stored = await removal.returning('rev').executeTakeFirst();
        published.push({ path, version, ...(stored && { rev: stored.rev }) });
      }
      return { before, rev, files: published };
    });
  }

  /** Removes all files of all folders; what the daemons have of them goes when they hear of it. */
  async clear(): Promise<void> {
    await this.#deps.database.write(async ({ db }) => {
      await db
        .updateTable('memory_streams')
        .set((is) => ({ rev: is('rev', '+', 1), floor: is('rev', '+', 1) }))
        .where('name', '>=', '/')
        .where('name', '<', '0')
        .execute();
      await db.deleteFrom('memory_files').execute();
    });
  }

  takeIdBlock(): Promise<number> {
    return this.#deps.database.write(({ db }) => takeIdBlock(db));
  }

  /** Forgets which files were removed long ago. */
  async tidy(): Promise<void> {
    const { database, runtime } = this.#deps;
    const before = new Date(runtime.now().getTime() - REMEMBERED_MS).toISOString();
    await database.write(async ({ db }) => {
      const gone = await removedBefore(db, before);
      for (const { root, rev } of gone)
        await db
          .updateTable('memory_streams')
          .set({ floor: rev })
          .where('name', '=', root)
          .where('floor', '<', rev)
          .execute();
      if (gone.length > 0)
        await db
          .deleteFrom('memory_files')
          .where('chunks', 'is', null)
          .where('changed_at', '<', before)
          .execute();
    });
  }

  #toRow(root: string, { path, file, rev }: UnpublishedFile & { rev: number }): MemoryFileRow {
    const {
      hash = '',
      size = 0,
      stamp = '',
      relativePath = '',
      chunks,
    } = file ?? ({} as Partial<StoredFile>);
    const changed_at = this.#now();
    return {
      path,
      root,
      rev,
      hash,
      size,
      stamp,
      place_length: relativePath.length,
      updated_at: file?.updatedAt ?? changed_at,
      chunks: chunks ? JSON.stringify(chunks) : null,
      changed_at,
    };
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }
}

/** The last number of a removal before a moment, of each folder with one. */
async function removedBefore(db: Kysely<Schema>, moment: string): Promise<{ root: string; rev: number }[]> {
  const rows = await db
    .selectFrom('memory_files')
    .select((is) => ['root', is.fn.max('rev').as('rev')])
    .where('chunks', 'is', null)
    .where('changed_at', '<', moment)
    .groupBy('root')
    .orderBy('root')
    .execute();
  return rows.map(({ root, rev }) => ({ root, rev: Number(rev) }));
}

function toShared(row: MemoryFileRow): SharedFile {
  const { path, rev, hash, size, stamp, chunks } = row;
  if (chunks === null) return { path, rev, file: undefined };
  return {
    path,
    rev,
    file: {
      relativePath: path.slice(path.length - row.place_length),
      hash,
      size,
      stamp,
      updatedAt: row.updated_at,
      chunks: JSON.parse(chunks) as StoredChunk[],
    },
  };
}
