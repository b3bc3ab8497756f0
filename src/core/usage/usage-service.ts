import type { ListUsageQuery, UsageCsvQuery, UsageEntry, UsageGroup } from '../../contract/usage.ts';
import { type Caller, visibleOwner } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { toUsageCsv } from './usage-csv.ts';
import { dayOf } from './usage-days.ts';
import type { UsageLedger } from './usage-ledger.ts';
import { type UsageConditions, UsageQuery } from './usage-query.ts';

const DAY_MS = 86_400_000;
/** The days of a report that names none, with today. */
const USUAL_DAYS = 30;
/** The rows of a CSV file; a table of more is not read by people. */
const MAX_CSV_ROWS = 100_000;

export interface UsageServiceDeps {
  database: Database;
  runtime: Pick<Runtime, 'now'>;
  usage: Pick<UsageLedger, 'idle'>;
}

/** Shows what models used and cost. */
export class UsageService {
  readonly #deps: UsageServiceDeps;
  readonly #query: UsageQuery;
  constructor(deps: UsageServiceDeps) {
    this.#deps = deps;
    this.#query = new UsageQuery(deps.database);
  }

  async list(caller: Caller, query: ListUsageQuery) {
    const { by, limit, offset } = query;
    const where = this.#conditions(caller, query);
    await this.#deps.usage.idle();
    const [entries, total, sum] = await Promise.all([
      this.#query.groups(by, where, { limit, offset }),
      this.#query.count(by, where),
      this.#query.sum(where),
    ]);
    const { from, to } = where;
    return { usage: await this.#named(by, entries), total, limit, offset, from, to, by, sum };
  }

  async csv(caller: Caller, query: UsageCsvQuery): Promise<string> {
    const { by } = query;
    const where = this.#conditions(caller, query);
    await this.#deps.usage.idle();
    const entries = await this.#query.groups(by, where, { limit: MAX_CSV_ROWS, offset: 0 });
    return toUsageCsv(by, await this.#named(by, entries));
  }

  #conditions(caller: Caller, query: UsageCsvQuery): UsageConditions {
    const { to = dayOf(this.#deps.runtime.now()) } = query;
    const { from = dayOf(new Date(Date.parse(to) - (USUAL_DAYS - 1) * DAY_MS)) } = query;
    if (from > to)
      throw new AppError('validation', 'The first day is after the last one', {
        details: [{ path: 'from', message: 'Expected a day that is not after `to`' }],
      });
    return { ...query, from, to, ownerId: visibleOwner(caller) };
  }

  async #named(by: UsageGroup, entries: UsageEntry[]): Promise<UsageEntry[]> {
    const names = await this.#names(
      by,
      entries.map(({ key }) => key).filter((key) => key !== ''),
    );
    return entries.map((entry) => {
      const name = names.get(entry.key);
      return name === undefined ? entry : { ...entry, name };
    });
  }

  /** The keys come from rows that the caller may see, so their names are the caller's to see as well. */
  async #names(by: UsageGroup, keys: string[]): Promise<Map<string, string>> {
    const table = (
      { user: 'users', token: 'api_tokens', task: 'tasks', conversation: 'conversations' } as const
    )[by as 'user'] as 'users' | 'api_tokens' | 'tasks' | 'conversations' | undefined;
    const names = new Map<string, string>();
    if (!table) return names;
    const { read } = this.#deps.database;
    // A statement takes only so many values.
    for (let start = 0; start < keys.length; start += 500) {
      const ids = keys.slice(start, start + 500);
      const rows =
        table === 'users' || table === 'api_tokens'
          ? await read.selectFrom(table).select(['id', 'name']).where('id', 'in', ids).execute()
          : await read.selectFrom(table).select(['id', 'title as name']).where('id', 'in', ids).execute();
      for (const { id, name } of rows) names.set(id, name);
    }
    return names;
  }
}
