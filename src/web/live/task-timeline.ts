import type { Attempt, TimelineRow } from './timeline-rows.ts';

/** What a page keeps of the steps; `svc tasks logs` has all. */
export interface TimelineLimits {
  rows: number;
  characters: number;
}
const LIMITS: TimelineLimits = { rows: 5000, characters: 16_000_000 };

/** The steps of a task in groups, one for each attempt. */
export class TaskTimeline {
  readonly attempts: Attempt[] = [];
  readonly #limits: TimelineLimits;
  #rows = 0;
  #characters = 0;

  constructor(limits: TimelineLimits = LIMITS) {
    this.#limits = limits;
  }

  /** The last row of a kind that fits, so that the end of something finds its beginning. */
  find<K extends TimelineRow['kind']>(
    kind: K,
    fits: (row: Extract<TimelineRow, { kind: K }>) => boolean,
  ): Extract<TimelineRow, { kind: K }> | undefined {
    for (const { rows } of this.attempts.toReversed()) {
      const found = rows.findLast(
        (row): row is Extract<TimelineRow, { kind: K }> =>
          row.kind === kind && fits(row as Extract<TimelineRow, { kind: K }>),
      );
      if (found) return found;
    }
    return undefined;
  }

  get last(): TimelineRow | undefined {
    return this.attempts.at(-1)?.rows.at(-1);
  }

  push(row: TimelineRow): void {
    const attempt = this.attempts.at(-1) ?? this.begin({ key: 0, at: row.at });
    attempt.rows.push(row);
    attempt.version++;
    this.#rows++;
    this.#characters += sizeOf(row);
    while (this.#rows > this.#limits.rows || this.#characters > this.#limits.characters)
      if (!this.#drop()) return;
  }

  replace(old: TimelineRow, row: TimelineRow): void {
    for (const attempt of this.attempts.toReversed()) {
      const at = attempt.rows.lastIndexOf(old);
      if (at < 0) continue;
      attempt.rows[at] = row;
      attempt.version++;
      this.#characters += sizeOf(row) - sizeOf(old);
      return;
    }
  }

  /** Begins an attempt, or the group of what comes before the first. */
  begin(head: Pick<Attempt, 'key' | 'at' | 'number' | 'agent'>): Attempt {
    const attempt = { ...head, rows: [], dropped: 0, version: 0 };
    this.attempts.push(attempt);
    return attempt;
  }

  /** Ends the attempt in progress, and with it all that it had begun. */
  end(at: string, end: NonNullable<Attempt['end']>): void {
    const attempt = this.attempts.at(-1);
    if (attempt?.number === undefined || attempt.end) return;
    attempt.end = end;
    attempt.endedAt = at;
    attempt.version++;
    for (const row of attempt.rows) {
      if (row.kind === 'call' && (row.state === 'running' || row.state === 'asking'))
        this.replace(row, { ...row, state: 'stopped', endedAt: at });
      if (row.kind === 'thought' && !row.endedAt) this.replace(row, { ...row, endedAt: at });
    }
  }

  /** Gives up the oldest row; false if there is none but the newest. */
  #drop(): boolean {
    const attempt = this.attempts.find(({ rows }) => rows.length > 0);
    if (!attempt || this.#rows < 2) return false;
    const row = attempt.rows.shift();
    attempt.dropped++;
    attempt.version++;
    this.#rows--;
    if (row) this.#characters -= sizeOf(row);
    return true;
  }
}

function sizeOf(row: TimelineRow): number {
  switch (row.kind) {
    case 'call': {
      const { result = '', diff = [] } = row;
      const changed = diff.reduce(
        (sum, { oldText = '', newText = '', diff: text = '' }) =>
          sum + oldText.length + newText.length + text.length,
        0,
      );
      return 200 + result.length + changed + sizeOfArguments(row.arguments);
    }
    case 'note':
    case 'said':
    case 'thought':
    case 'wait':
    case 'check':
      return 200 + row.text.length;
    case 'plan':
      return row.entries.reduce((sum, { text }) => sum + text.length, 200);
    case 'approval':
      return 2000;
  }
}

function sizeOfArguments(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, each) => sum + sizeOfArguments(each), 0);
}
