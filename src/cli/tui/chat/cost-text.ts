import { escapeLine } from '../../output/escape-text.ts';
import type { ConversationMessage, ConversationUsage } from '../../../contract/conversations.ts';

/** What a conversation used, in a few rows. */
export function costText(
  messages: readonly ConversationMessage[],
  usage: ConversationUsage | undefined,
  agent?: string,
): string {
  const share = usage?.context?.share;
  const answers = messages.filter(({ role }) => role === 'assistant');
  const counted = answers.filter(({ usage: used }) => used?.totalTokens !== undefined);
  const prompt = usage?.promptTokens ?? sum(counted.map(({ usage: used }) => used?.promptTokens));
  const completion = usage?.completionTokens ?? sum(counted.map(({ usage: used }) => used?.completionTokens));
  const total = usage?.totalTokens ?? sum(counted.map(({ usage: used }) => used?.totalTokens));
  if (total === 0) return 'No tokens are counted in this conversation yet.';
  const missing = answers.length - counted.length;
  return [
    `Tokens   ${format(total)}: ${format(prompt)} in, ${format(completion)} out, ${answers.length === 1 ? '1 answer' : `${answers.length} answers`}`,
    ...(missing > 0 ? [`         ${missing} of the answers were not counted by their provider`] : []),
    `Cost     ${formatCost(usage) ?? 'unknown'}`,
    // What an agent costs is by its own prices.
    ...(agent === undefined ? unpriced(answers) : []).map(
      (model) =>
        `         The price of ${escapeLine(model)} is unknown. Set it, in USD per million tokens: svc config set models.prices '{"${escapeLine(model)}": {"input": 1, "output": 2}}'`,
    ),
    ...(share === undefined ? [] : [`Context  ${formatShare(share)} of the model's window`]),
  ].join('\n');
}

/** $0.0012, $1.23 or $0.12 + unknown; undefined where no part of it is known. */
export function formatCost(
  usage: Pick<ConversationUsage, 'costUsd' | 'isCostPartial'> | undefined,
): string | undefined {
  const { costUsd, isCostPartial } = usage ?? {};
  if (costUsd === undefined) return undefined;
  return `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}${isCostPartial ? ' + unknown' : ''}`;
}

/** The models whose tokens were counted and have no price. */
const unpriced = (answers: readonly ConversationMessage[]): string[] => [
  ...new Set(
    answers.flatMap(({ usage, costUsd, provider, model }) =>
      usage?.totalTokens && costUsd === undefined && provider && model ? [`${provider}/${model}`] : [],
    ),
  ),
];

export const formatShare = (share: number): string => `${Math.round(share * 100)}%`;

const sum = (counts: readonly (number | undefined)[]) =>
  counts.reduce<number>((total, count) => total + (count ?? 0), 0);
const format = (count: number) => count.toLocaleString('en-US');
