import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditArchive as ArchiveAnswer } from '../../contract/data.ts';
import type { Leases } from '../leases.ts';
import { AppError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { inBatches } from '../storage/in-batches.ts';
import type { AuditRow } from '../storage/rows/audit.ts';
import type { AuditArchiveRow } from '../storage/rows/retention.ts';
import { AuditChain, archivedEvent } from './audit-chain.ts';
import type { AuditLog } from './audit-log.ts';
import type { AuditStore } from './audit-store.ts';
import { digestOf, readArchive, writeArchive } from './archive-file.ts';

const PAGE = 500;
const LEASE = 'audit archive';

const busy = () => new AppError('unavailable', 'The audit log is being archived. Try again.');

export interface AuditArchiveDeps {
  database: Database;
  store: AuditStore;
  audit: AuditLog;
  runtime: Runtime;
  leases: Pick<Leases, 'take' | 'release'>;
  /** Where the files are. */
  directory: string;
}

/** Who requested an archive; empty if a setting did. */
export interface Asker {
  userId?: string;
  address?: string | undefined;
}

/** Moves old entries of the audit log to files. Entries are removed only after the file was read back and verified. */
export class AuditArchive {
  readonly #deps: AuditArchiveDeps;
  #working: Promise<ArchiveAnswer | undefined> | undefined;
  constructor(deps: AuditArchiveDeps) {
    this.#deps = deps;
  }

  /** Archives the entries from before the time; undefined if there are none. Only one at a time. */
  archive(before: string, asker: Asker = {}): Promise<ArchiveAnswer | undefined> {
    if (this.#working) throw busy();
    this.#working = this.#archiveAlone(before, asker).finally(() => (this.#working = undefined));
    return this.#working;
  }

  /** The archives, oldest first. */
  async list(): Promise<ArchiveAnswer[]> {
    return (await this.#deps.store.archives()).map((row) => toArchive(row, this.#deps.directory));
  }

  /** Removes entries that are in an archive; an earlier process may have stopped before it did so. */
  async removeArchived(): Promise<void> {
    const { database, store } = this.#deps;
    const last = (await store.archives()).at(-1)?.last_seq;
    if (last === undefined) return;
    await inBatches(
      async (limit) => {
        const rows = await store.page(0, limit);
        const seqs = rows.map(({ seq }) => seq).filter((seq) => seq <= last);
        if (seqs.length === 0) return 0;
        await database.write(({ db }) => db.deleteFrom('audit_log').where('seq', 'in', seqs).execute());
        return seqs.length;
      },
      PAGE,
      Infinity,
    );
  }

  async #archiveAlone(before: string, asker: Asker): Promise<ArchiveAnswer | undefined> {
    const { leases } = this.#deps;
    if (!(await leases.take(LEASE)).isMine) throw busy();
    try {
      return await this.#archive(before, asker);
    } finally {
      await leases.release(LEASE);
    }
  }

  async #archive(before: string, asker: Asker): Promise<ArchiveAnswer | undefined> {
    const { directory, store, runtime } = this.#deps;
    await this.removeArchived();
    const earlier = (await store.archives()).at(-1);
    const chain = new AuditChain();
    if (earlier) chain.skipTo(earlier.last_seq, earlier.last_hash);
    const start = { seq: chain.seq, hash: chain.lastHash };
    const firstRow = (await store.page(start.seq, 1))[0];
    if (!firstRow || firstRow.at >= before) return undefined;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const temporary = join(directory, `.audit-${runtime.newId('tmp')}`);
    let lastAt = firstRow.at;
    try {
      await writeArchive(
        temporary,
        this.#entries(before, chain, (at) => (lastAt = at)),
      );
      await this.#readBack(temporary, chain, start);
      const { sha256, bytes } = await digestOf(temporary);
      const file = `audit-${number(start.seq + 1)}-${number(chain.seq)}.jsonl.gz`;
      await rename(temporary, join(directory, file));
      await syncDirectory(directory);
      const row: AuditArchiveRow = {
        first_seq: start.seq + 1,
        last_seq: chain.seq,
        file,
        entries: chain.seq - start.seq,
        bytes,
        sha256,
        previous_hash: start.hash,
        last_hash: chain.lastHash,
        from_at: firstRow.at,
        to_at: lastAt,
        created_at: runtime.now().toISOString(),
      };
      await this.#record(row, asker);
      await this.removeArchived();
      return toArchive(row, directory);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Reads and verifies the entries; a log that fails verification is not archived. */
  async *#entries(
    before: string,
    chain: AuditChain,
    onLast: (at: string) => void,
  ): AsyncGenerator<AuditRow[]> {
    for (;;) {
      const rows = await this.#deps.store.page(chain.seq, PAGE);
      const end = rows.findIndex(({ at }) => at >= before);
      const page = end === -1 ? rows : rows.slice(0, end);
      for (const row of page) {
        const fault = chain.follow(row);
        if (fault !== undefined)
          throw new AppError(
            'wrong_state',
            `The audit log failed verification: ${fault}. Nothing was archived.`,
          );
        onLast(row.at);
      }
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
    }
  }

  async #readBack(path: string, written: AuditChain, start: { seq: number; hash: string }): Promise<void> {
    const chain = new AuditChain();
    chain.skipTo(start.seq, start.hash);
    for await (const row of readArchive(path)) {
      const fault = chain.follow(row);
      if (fault !== undefined)
        throw new AppError('unavailable', `The archive could not be read back: ${fault}`);
    }
    if (chain.lastHash !== written.lastHash)
      throw new AppError('unavailable', 'The archive could not be read back: it is not complete');
  }

  async #record(row: AuditArchiveRow, { userId, address }: Asker): Promise<void> {
    const { database, audit } = this.#deps;
    await database.write(async (transaction) => {
      await transaction.db.insertInto('audit_archives').values(row).execute();
      await audit.append(transaction, {
        kind: 'security',
        tool: archivedEvent,
        userId,
        address,
        arguments: {
          file: row.file,
          firstSeq: row.first_seq,
          lastSeq: row.last_seq,
          lastHash: row.last_hash,
          sha256: row.sha256,
        },
        result: 'ok',
      });
    });
  }
}

const number = (seq: number) => String(seq).padStart(9, '0');

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const toArchive = (row: AuditArchiveRow, directory: string): ArchiveAnswer => ({
  file: join(directory, row.file),
  entries: row.entries,
  bytes: row.bytes,
  firstSeq: row.first_seq,
  lastSeq: row.last_seq,
  from: row.from_at,
  to: row.to_at,
  lastHash: row.last_hash,
  sha256: row.sha256,
  createdAt: row.created_at,
});
