import type { NotificationService } from '../notifications/notification-service.ts';
import type { Database } from '../storage/database.ts';
import type { UsedBy } from '../usage/usage-record.ts';
import type { Used } from './budget-counts.ts';
import type { BudgetMarks, Mark } from './budget-marks.ts';
import { isOfOneUser } from './budget-match.ts';
import { startOf } from './budget-period.ts';
import type { MatchedBudget } from './known-budgets.ts';

/** The share of a budget at which people are notified. */
const NEAR = 0.8;
const MAX_KNOWN = 10_000;

export interface BudgetNoticesDeps {
  database: Database;
  notifications: Pick<NotificationService, 'add'>;
  marks: BudgetMarks;
}

interface Looked {
  budget: MatchedBudget;
  used: Used;
  usedBy: UsedBy;
  day: string;
  /** Adds to the events of the task. */
  note: ((message: string) => void) | undefined;
}

/** Notifies people once of each budget and period: at 80 %, and when all of it is used. */
export class BudgetNotices {
  readonly #deps: BudgetNoticesDeps;
  /** Notices that were sent, which the stored marks decide. */
  readonly #sent = new Set<string>();
  constructor(deps: BudgetNoticesDeps) {
    this.#deps = deps;
  }

  async check({ budget, used, usedBy, day, note }: Looked): Promise<void> {
    const share = shareOf(budget, used);
    if (share < NEAR) return;
    const mark: Mark = share >= 1 ? 'reached' : 'near';
    const known = `${mark} ${budget.counts} ${budget.tokens}/${budget.usd} ${startOf(budget.period, day)}`;
    if (this.#sent.has(known)) return;
    if (this.#sent.size >= MAX_KNOWN) this.#sent.clear();
    const { database, marks, notifications } = this.#deps;
    const message = describeShare(budget, used, share);
    const isFirst = await database.write(async (transaction) => {
      const isNew = await marks.setOnce(transaction, mark, budget, day);
      // Of two at once, only the one that says more.
      if (mark === 'reached') await marks.setOnce(transaction, 'near', budget, day);
      if (!isNew) return false;
      for (const userId of await this.#readers(budget, usedBy, transaction.db))
        notifications.add(transaction, {
          userId,
          type: mark === 'near' ? 'budget_warning' : 'budget_reached',
          title: message,
          message:
            mark === 'near'
              ? 'See what uses it: svc usage budgets'
              : budget.onReached === 'ask'
                ? 'Its tasks wait for a decision.'
                : 'Work that counts for it is stopped.',
          ...(usedBy.taskId !== undefined && { taskId: usedBy.taskId }),
          data: { scope: budget.scope, period: budget.period, percent: Math.floor(share * 100) },
        });
      return true;
    });
    this.#sent.add(known);
    if (isFirst) note?.(message);
  }

  /** Those who can do something about it: the user it is for, or the administrators. */
  async #readers(budget: MatchedBudget, { userId }: UsedBy, db: Database['read']): Promise<string[]> {
    if (isOfOneUser(budget) && userId !== '') return [userId];
    const rows = await db
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'admin')
      .where('disabled_at', 'is', null)
      .execute();
    return rows.map(({ id }) => id);
  }
}

/** How much of a budget is used: 1 is all of it. */
export function shareOf({ tokens, usd }: Pick<MatchedBudget, 'tokens' | 'usd'>, used: Used): number {
  return Math.max(tokens === undefined ? 0 : used.tokens / tokens, usd === undefined ? 0 : used.usd / usd);
}

function describeShare({ name, tokens, usd }: MatchedBudget, used: Used, share: number): string {
  const parts = [
    ...(tokens === undefined ? [] : [`${used.tokens} of ${tokens} tokens`]),
    ...(usd === undefined ? [] : [`${used.usd.toFixed(2)} of ${usd.toFixed(2)} USD`]),
  ];
  return `${Math.floor(share * 100)} % of ${name} is used: ${parts.join(', ')}`;
}
