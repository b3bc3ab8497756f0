import type { Task } from '../../contract/task.ts';
import { formatUsd } from '../text/format-usd.ts';

const MICRO = 1e6;
/** The least that a task may have. */
const least = { maxBudget: 1000, maxTimeMs: 100, maxCostUsd: 1 / MICRO } as const;

export type SharedLimits = Pick<Task, 'maxBudget' | 'maxCostUsd' | 'maxTimeMs'>;

/** What each of the candidates gets of the limits that hold for all of them together. */
export function shareOf({ maxBudget, maxCostUsd, maxTimeMs }: SharedLimits, count: number): SharedLimits {
  return {
    ...(maxBudget !== undefined && { maxBudget: Math.floor(maxBudget / count) }),
    ...(maxTimeMs !== undefined && { maxTimeMs: Math.floor(maxTimeMs / count) }),
    ...(maxCostUsd !== undefined && {
      maxCostUsd: formatUsd(Math.floor((Number(maxCostUsd) * MICRO) / count) / MICRO),
    }),
  };
}

/** The limit of which a share is too small to work with; undefined where all suffice. */
export function tooSmall(limits: SharedLimits, count: number): keyof SharedLimits | undefined {
  const shares = shareOf(limits, count);
  const fields: (keyof SharedLimits)[] = ['maxBudget', 'maxCostUsd', 'maxTimeMs'];
  return fields.find((field) => shares[field] !== undefined && Number(shares[field]) < least[field]);
}
