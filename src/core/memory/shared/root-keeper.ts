import { statSync } from 'node:fs';
import type { Leases } from '../../leases.ts';
import { isInside } from '../../paths/real-path.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { MemoryStreamRow } from '../../storage/rows/shared-memory.ts';
import type { SharedFiles } from './shared-files.ts';

/** A folder of a machine that nobody has read for so long is taken over by another one that has a folder at its path. */
const HOST_GONE_MS = 10 * 60_000;

export interface RootKeeperDeps {
  database: Pick<Database, 'read'>;
  files: Pick<SharedFiles, 'keep' | 'drop'>;
  leases: Pick<Leases, 'take' | 'release'>;
  /** Who this daemon is. */
  daemonId: string;
  /** The machine whose files it sees. */
  host: string;
  /** The folders that this daemon is to index, without those inside another. */
  wanted: () => string[];
  /** Called after a folder was taken or lost. */
  onChange: () => void;
  runtime: Pick<Runtime, 'now'>;
}

/** Decides which folders this daemon reads: those that it is to index, has, and holds the lease of. */
export class RootKeeper {
  readonly #deps: RootKeeperDeps;
  readonly #kept = new Set<string>();
  #isStopped = false;
  constructor(deps: RootKeeperDeps) {
    this.#deps = deps;
  }

  keeps(root: string): boolean {
    return this.#kept.has(root);
  }

  /** The folders that some daemon reads now. */
  async held(): Promise<Set<string>> {
    const { database, runtime } = this.#deps;
    const rows = await database.read
      .selectFrom('leases')
      .select('name')
      .where('name', '>=', leaseOf('/'))
      .where('name', '<', leaseOf('0'))
      .where('expires_at', '>', runtime.now().toISOString())
      .execute();
    return new Set(rows.map(({ name }) => name.slice(leaseOf('').length)));
  }

  /** The folder of this daemon that a path belongs to. */
  rootOf(path: string): string | undefined {
    return [...this.#kept].find((root) => isInside(root, path));
  }

  /** Takes the folders that no other daemon has, and drops those that are not wanted any more. */
  async look(roots: ReadonlyMap<string, MemoryStreamRow>): Promise<{ taken: string[]; dropped: string[] }> {
    const { daemonId, wanted } = this.#deps;
    const now = wanted();
    const dropped = [...roots]
      .filter(([root, { keeper }]) => keeper === daemonId && !now.includes(root))
      .map(([root]) => root);
    for (const root of dropped) await this.#drop(root);
    const taken: string[] = [];
    for (const root of now) {
      if (this.#kept.has(root) || !isDirectory(root)) continue;
      const row = roots.get(root);
      if ((await this.#mayTake(root, row)) && (await this.take(root))) taken.push(root);
    }
    return { taken, dropped };
  }

  /** Takes a folder unless another daemon holds it, on whichever machine that one was. */
  async take(root: string): Promise<boolean> {
    const { files, leases, daemonId, host, onChange } = this.#deps;
    if (this.#kept.has(root)) return true;
    const onEnd = () => {
      this.#kept.delete(root);
      if (!this.#isStopped) onChange();
    };
    if (!(await leases.take(leaseOf(root), { onEnd })).isMine) return false;
    await files.keep(root, host, daemonId);
    this.#kept.add(root);
    onChange();
    return true;
  }

  /** Gives all folders to whoever takes them next. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const root of this.#kept) await this.#deps.leases.release(leaseOf(root));
  }

  async #drop(root: string): Promise<void> {
    const { files, leases, daemonId } = this.#deps;
    await files.drop(root, daemonId);
    await leases.release(leaseOf(root));
  }

  /** A folder of another machine may be another folder: it is left to the daemons there while there may be one. */
  async #mayTake(root: string, row: MemoryStreamRow | undefined): Promise<boolean> {
    const { database, host, runtime } = this.#deps;
    if (!row || row.host === null || row.host === host) return true;
    const lease = await database.read
      .selectFrom('leases')
      .select('expires_at')
      .where('name', '=', leaseOf(root))
      .executeTakeFirst();
    return !lease || Date.parse(lease.expires_at) < runtime.now().getTime() - HOST_GONE_MS;
  }
}

const leaseOf = (root: string): string => `memory of ${root}`;

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
