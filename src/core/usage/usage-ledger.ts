import { AppError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { type Database, type WriteOptions, type WriteTransaction } from '../storage/database.ts';
import { RunUsage } from './run-usage.ts';
import { countersOf } from './usage-counters.ts';
import { dayOf } from './usage-days.ts';
import type { UsageRecord, UsedBy } from './usage-record.ts';

/** A commit holds everything else up for a moment, so the records of calls that end close together share one. */
const later: WriteOptions = { independent: true, mayWaitMs: 10 };
/** How many records are kept for the next write while the disk takes none. */
const MAX_UNSAVED = 1000;
/** Names of models come from callers. */
const MAX_NAME = 300;

export interface UsageLedgerDeps {
  database: Database;
  runtime: Pick<Runtime, 'now'>;
  reportBug: (error: unknown) => void;
}

interface DatedRecord extends UsageRecord {
  day: string;
}

/** Takes each record at once, before it is stored. */
export type UsageListener = (record: UsageRecord, day: string) => void;

/** Takes what models use: the one place where tokens and cost are counted, for every caller of a model. */
export class UsageLedger {
  readonly #deps: UsageLedgerDeps;
  readonly #listeners: UsageListener[] = [];
  #unsaved: DatedRecord[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: UsageLedgerDeps) {
    this.#deps = deps;
  }

  listen(listener: UsageListener): void {
    this.#listeners.push(listener);
  }

  /** Never throws and never waits: the record joins the commit that comes next, within a few milliseconds. */
  record(record: UsageRecord): void {
    const dated = { ...record, day: dayOf(this.#deps.runtime.now()) };
    for (const listen of this.#listeners) listen(record, dated.day);
    this.#writing = Promise.all([this.#writing, this.#write([...this.#unsaved.splice(0), dated])]).then(
      () => undefined,
    );
  }

  /** Counts what a run reports of itself, in all, again and again. */
  beginRun(usedBy: UsedBy): RunUsage {
    return new RunUsage(usedBy, (record) => this.record(record));
  }

  /** Resolves once everything that was recorded is stored, or kept for the next write. */
  idle(): Promise<void> {
    return this.#writing;
  }

  async #write(records: DatedRecord[]): Promise<void> {
    const { database, reportBug } = this.#deps;
    try {
      await database.write(async (transaction) => {
        for (const record of records) addTo(transaction, record);
      }, later);
    } catch (error) {
      if (!(error instanceof AppError)) reportBug(error);
      else this.#unsaved = [...records, ...this.#unsaved].slice(-MAX_UNSAVED);
    }
  }
}

function addTo(transaction: Pick<WriteTransaction, 'addLater'>, record: DatedRecord): void {
  const { day, usedBy, provider, model, inputTokens, outputTokens, cachedTokens = 0, costUsd } = record;
  const { calls = 1 } = record;
  const { unknownCalls = costUsd === undefined ? calls : 0 } = record;
  transaction.addLater(
    'usage',
    {
      day,
      owner_id: usedBy.userId,
      token_id: usedBy.tokenId ?? '',
      agent: usedBy.agent ?? '',
      provider,
      model: model.slice(0, MAX_NAME).toWellFormed(),
      repository: usedBy.repository ?? '',
      task_id: usedBy.taskId ?? '',
      conversation_id: usedBy.conversationId ?? '',
    },
    {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cached_tokens: cachedTokens,
      calls,
      cost_usd: costUsd ?? 0,
      unknown_calls: unknownCalls,
    },
  );
  const used = { tokens: inputTokens + outputTokens, cost_usd: costUsd ?? 0 };
  for (const scope of countersOf(usedBy)) transaction.addLater('usage_days', { day, scope }, used);
}
