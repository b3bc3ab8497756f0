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
export type KillPoint = (typeof killPoints)[number];
/** At which passing of the point, counted from 1. */
export interface KillOrder {
  point: KillPoint;
  passing: number;
}

/** Kills the process with SIGKILL when it passes the point that was ordered. */
export class KillSwitch {
  #order: KillOrder | undefined;
  #outcomes = 0;

  arm(order: KillOrder): void {
    this.#order = { ...order };
  }

  disarm(): void {
    this.#order = undefined;
  }

  pass(point: KillPoint): void {
    if (point === 'execute-end') this.#outcomes++;
    if (this.#order?.point !== point || --this.#order.passing > 0) return;
    process.kill(process.pid, 'SIGKILL');
  }

  /** Around each commit; one after an agent's end is taken for the one that holds its outcome. */
  commit<T>(run: () => T): T {
    const holdsOutcome = this.#outcomes > 0;
    this.#outcomes = 0;
    this.pass('before-commit');
    if (holdsOutcome) this.pass('before-outcome');
    const result = run();
    this.pass('after-commit');
    if (holdsOutcome) this.pass('after-outcome');
    return result;
  }
}

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
