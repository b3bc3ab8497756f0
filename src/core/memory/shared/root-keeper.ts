import { statSync } from 'node:fs';
import type { Leases } from '../../leases.ts';
import { isInside } from '../../paths/real-path.ts';
import type { Runtime } from '../../runtime.ts';
import { HOST_GONE_MS } from '../../placement.ts';
import type { Database } from '../../storage/database.ts';
import type { MemoryStreamRow } from '../../storage/rows/shared-memory.ts';
import type { SharedFiles } from './shared-files.ts';

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

  /** The folder of this daemon that a path belongs to. */
  rootOf(path: string): string | undefined {
    return [...this.#kept].find((root) => isInside(root, path));
  }

  /**
   * Takes the folders that no other daemon has, and drops those that are not wanted any more; `held` are those that some
   * daemon reads.
   */
  async look(
    roots: ReadonlyMap<string, MemoryStreamRow>,
  ): Promise<{ taken: string[]; dropped: string[]; held: Set<string> }> {
    const { daemonId, wanted, runtime } = this.#deps;
    const now = wanted();
    const dropped = [...roots]
      .filter(([root, { keeper }]) => keeper === daemonId && !now.includes(root))
      .map(([root]) => root);
    for (const root of dropped) await this.#drop(root);
    const leases = await this.#leases();
    const taken: string[] = [];
    for (const root of now) {
      if (this.#kept.has(root) || !isDirectory(root)) continue;
      if (this.#mayTake(roots.get(root), leases.get(root)) && (await this.take(root))) taken.push(root);
    }
    const at = runtime.now().getTime();
    const held = [...leases].filter(([, end]) => end > at).map(([root]) => root);
    return { taken, dropped, held: new Set([...held, ...this.#kept]) };
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

  /** Releases all folders for other daemons. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const root of this.#kept) await this.#deps.leases.release(leaseOf(root));
  }

  async #drop(root: string): Promise<void> {
    const { files, leases, daemonId } = this.#deps;
    await files.drop(root, daemonId);
    await leases.release(leaseOf(root));
  }

  /** When the lease of each folder ends, or has ended, in milliseconds since 1970. */
  async #leases(): Promise<Map<string, number>> {
    const rows = await this.#deps.database.read
      .selectFrom('leases')
      .select(['name', 'expires_at'])
      .where('name', '>=', leaseOf('/'))
      .where('name', '<', leaseOf('0'))
      .execute();
    return new Map(
      rows.map(({ name, expires_at }) => [name.slice(leaseOf('').length), Date.parse(expires_at)]),
    );
  }

  /** A folder of another machine may be another folder: it is left to the daemons there while there may be one. */
  #mayTake(row: MemoryStreamRow | undefined, leaseEnd: number | undefined): boolean {
    const { host, runtime } = this.#deps;
    if (leaseEnd === undefined) return true;
    const isOfThisHost = !row || row.host === null || row.host === host;
    return leaseEnd < runtime.now().getTime() - (isOfThisHost ? 0 : HOST_GONE_MS);
  }
}

const leaseOf = (root: string): string => `memory of ${root}`;

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
