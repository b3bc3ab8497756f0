import type { Config } from '../config/config.ts';
import type { RetentionKey } from '../config/retention-settings.ts';
import type { Database } from '../storage/database.ts';
import type { RetentionRule } from './retention-rule.ts';

const DAY_MS = 86_400_000;
/** Returned to the disk per step, which takes a few milliseconds. */
const STEP_BYTES = 2 * 1024 * 1024;
const MAX_STEPS = 50;
/** The share of the file that may stay free for new rows. */
const SPARE = 0.05;

export interface RetentionDeps {
  database: Database;
  config: Config;
  rules: readonly RetentionRule[];
  now: () => Date;
}

/** Removes expired data in small steps, so that other work continues in between. */
export class Retention {
  readonly #deps: RetentionDeps;
  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** How long each kind is kept; 0 means forever. */
  list(): { name: string; setting: RetentionKey; days: number }[] {
    const { rules, config } = this.#deps;
    return rules.map(({ name, setting }) => ({ name, setting, days: config.get(setting) }));
  }

  /** Removes a bounded amount of each kind, or only of files of this daemon; `hasMore` if more may be expired. */
  async removeOld(
    isOnlyLocal = false,
  ): Promise<{ removed: { name: string; count: number }[]; hasMore: boolean }> {
    const removed: { name: string; count: number }[] = [];
    let hasMore = false;
    for (const { name, remove, before, isLocal = false } of this.#due()) {
      if (isOnlyLocal && !isLocal) continue;
      const part = await remove(before);
      removed.push({ name, count: part.taken });
      hasMore ||= part.hasMore;
    }
    return { removed, hasMore };
  }

  /** Counts the expired data of each kind. */
  async countOld(): Promise<{ name: string; count: number }[]> {
    const counts: { name: string; count: number }[] = [];
    for (const { name, count, before } of this.#due()) counts.push({ name, count: await count(before) });
    return counts;
  }

  /** Returns free space to the disk, except for the share `spare` of the database. */
  async giveBack(spare = SPARE, maxSteps = MAX_STEPS): Promise<void> {
    const { space } = this.#deps.database;
    for (let step = 0; step < maxSteps; step++) {
      const { bytes, freeBytes } = await space.read();
      const surplus = Math.floor(freeBytes - bytes * spare);
      if (surplus <= 0 || (await space.giveBack(Math.min(STEP_BYTES, surplus))) === 0) return;
    }
  }

  /** The rules that are enabled, each with the time before which data is expired. */
  #due(): (RetentionRule & { before: string })[] {
    const { rules, config, now } = this.#deps;
    return rules.flatMap((rule) => {
      const days = config.get(rule.setting);
      return days === 0 ? [] : [{ ...rule, before: new Date(now().getTime() - days * DAY_MS).toISOString() }];
    });
  }
}
