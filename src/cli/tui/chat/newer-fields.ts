/** What the answers of a conversation used; absent figures are unknown. */
export interface ConversationUsage {
  promptTokens?: number | undefined;
  completionTokens?: number | undefined;
  totalTokens?: number | undefined;
  costUsd?: number | undefined;
  /** The share of the model's context window that the last request took, from 0 to 1. */
  contextShare?: number | undefined;
}

/** The usage that a daemon reports with a conversation; older ones do not. */
export function usageOf(conversation: object): ConversationUsage | undefined {
  const usage = fieldOf(conversation, 'usage');
  if (typeof usage !== 'object' || usage === null) return undefined;
  const context = fieldOf(usage, 'context');
  return {
    promptTokens: numberOf(usage, 'promptTokens'),
    completionTokens: numberOf(usage, 'completionTokens'),
    totalTokens: numberOf(usage, 'totalTokens'),
    costUsd: numberOf(usage, 'costUsd'),
    ...(typeof context === 'object' && context !== null && { contextShare: numberOf(context, 'share') }),
  };
}

/** How far an answer got, from a daemon that says so: `completed`, `waiting`, `interrupted` or `failed`. */
export function statusOf(message: object): string | undefined {
  const status = fieldOf(message, 'status');
  return typeof status === 'string' ? status : undefined;
}

/** Whether a daemon that knows reports a turn that is not finished. */
export function hasCurrentRun(answer: object): boolean {
  return fieldOf(answer, 'currentRun') !== undefined;
}

const fieldOf = (object: object, name: string): unknown =>
  Object.entries(object).find(([key]) => key === name)?.[1];

function numberOf(object: object, name: string): number | undefined {
  const value = fieldOf(object, name);
  return typeof value === 'number' ? value : undefined;
}
