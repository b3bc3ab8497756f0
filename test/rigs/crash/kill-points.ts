import { writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { replaceMethod } from './replace-method.ts';

/** Where the rig's daemon can be made to die. */
export const killPoints = [
  'before-commit',
  'after-commit',
  'execute-start',
  'execute-end',
  'before-outcome',
  'after-outcome',
  'dead-letter',
] as const;
/** On the way of a call that a model makes, and of the run that it belongs to. */
export const agentPoints = [
  'before-new-run',
  'after-new-run',
  'model-answered',
  'before-state',
  'after-state',
  'after-ask',
  'message-waits',
  'after-decision',
  'resumed',
  'before-intent',
  'after-intent',
  'tool-ran',
  'after-result',
  'last-step',
  'execute-end',
  'before-outcome',
] as const;
/** On the way of what comes in, of what is sent out, and of what the calendar starts. */
export const outsidePoints = [
  'inbound-verified',
  'before-inbound',
  'after-inbound',
  'delivery-sent',
  'before-recorded',
  'after-recorded',
  'before-failing',
  'after-failing',
  'before-scheduled',
  'after-scheduled',
] as const;
export type KillPoint = (typeof killPoints | typeof agentPoints | typeof outsidePoints)[number];
/** At which passing of the point, counted from 1. */
export interface KillOrder {
  point: KillPoint;
  passing: number;
}

/** One that begins with `before` is passed before the commit, the others after it. */
type CommitPoint = Extract<
  KillPoint,
  | 'before-intent'
  | 'after-intent'
  | 'after-result'
  | 'after-ask'
  | 'after-decision'
  | 'message-waits'
  | `${'before' | 'after'}-${'new-run' | 'inbound' | 'recorded' | 'failing' | 'scheduled'}`
>;
/** What the daemon writes to standard error before it dies, with the point. */
export const killedAt = 'killed at ';

/** Kills the process with SIGKILL when it passes the point that was ordered. */
export class KillSwitch {
  #order: KillOrder | undefined;
  #outcomes = 0;
  readonly #atCommit = new Set<CommitPoint>();

  arm(order: KillOrder): void {
    this.#order = { ...order };
  }

  disarm(): void {
    this.#order = undefined;
  }

  pass(point: KillPoint): void {
    if (point === 'execute-end') this.#outcomes++;
    if (this.#order?.point !== point || --this.#order.passing > 0) return;
    writeSync(2, `${killedAt}${point}\n`);
    process.kill(process.pid, 'SIGKILL');
  }

  /** The points are passed with the commit of the transaction that is open now. */
  passAtCommit(...points: CommitPoint[]): void {
    for (const point of points) this.#atCommit.add(point);
  }

  /** Around each commit; one after an agent's end is taken for the one that holds its outcome. */
  commit<T>(run: () => T): T {
    const holdsOutcome = this.#outcomes > 0;
    this.#outcomes = 0;
    const points = [...this.#atCommit];
    this.#atCommit.clear();
    this.pass('before-commit');
    for (const point of points) if (isBefore(point)) this.pass(point);
    if (holdsOutcome) this.pass('before-outcome');
    const result = run();
    this.pass('after-commit');
    if (holdsOutcome) this.pass('after-outcome');
    for (const point of points) if (!isBefore(point)) this.pass(point);
    return result;
  }
}

const isBefore = (point: CommitPoint) => point.startsWith('before-');
const isCommit = (text: string) => /^\s*commit\b/i.test(text);

/** Puts the points into SQLite in this process; to be done before a database is opened. */
export function installKillPoints(killSwitch: KillSwitch): void {
  replaceMethod(DatabaseSync.prototype, 'prepare', (prepare) => (text, ...rest) => {
    const statement = prepare(text, ...rest);
    if (!isCommit(text)) return statement;
    const run = statement.run.bind(statement);
    statement.run = () => killSwitch.commit(() => run());
    return statement;
  });
  replaceMethod(DatabaseSync.prototype, 'exec', (exec) => (text) => {
    if (isCommit(text)) return killSwitch.commit(() => exec(text));
    // Checkpoints come often, so that kills fall into them too.
    return exec(text.replace(/wal_autocheckpoint = \d+/, 'wal_autocheckpoint = 40'));
  });
}
