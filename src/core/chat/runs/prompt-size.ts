import type { ModelMessage } from 'ai';
import type { StepRequest } from '../../providers/model-steps.ts';
import { estimateTokens } from '../../text/token-estimate.ts';
import type { RunState } from './run-state.ts';

/** About how many tokens the messages of a run come to. */
export const sizeOfMessages = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, { content }) => sum + 4 + estimateTokens(textOf(content)), 0);

const textOf = (content: ModelMessage['content']): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** About how many tokens the tools come to. */
export const sizeOfTools = (tools: StepRequest['tools']): number =>
  tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + estimateTokens(name + description + JSON.stringify(inputSchema)),
    0,
  );

/** The next prompt in tokens: what the vendor counted for the last one, and an estimate of what came since. */
export function expectedPrompt(state: RunState, instructions: string): number {
  const estimated = sizeOfMessages(state.messages) + estimateTokens(instructions);
  if (!state.lastPrompt) return estimated;
  const { counted, estimated: before } = state.lastPrompt;
  return Math.max(0, counted + estimated - before);
}
