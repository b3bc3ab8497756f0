import type { Pick as PickWay } from './best-of.ts';

/** Who chooses among the candidates that completed. */
export const pickMeanings = {
  verify: 'the fewest repairs, then the fewest changed lines',
  judge: 'a model, set with agents.judge.model',
  person: 'you, with svc tasks pick',
} as const satisfies Record<PickWay, string>;

export const pickWays = Object.keys(pickMeanings) as PickWay[];
