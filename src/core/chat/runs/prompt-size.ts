import type { ModelMessage } from 'ai';
import type { StepRequest } from '../../providers/model-steps.ts';
import { estimateTokens } from '../../text/token-estimate.ts';
import type { RunState } from './run-state.ts';

/** Estimates the tokens of messages. */
export const sizeOfMessages = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, { content }) => sum + 4 + estimateTokens(textOf(content)), 0);

const textOf = (content: ModelMessage['content']): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** Each tool has one schema, whose text is long. */
const schemaTexts = new WeakMap<object, string>();

function schemaText(schema: object): string {
  let text = schemaTexts.get(schema);
  if (text === undefined) schemaTexts.set(schema, (text = JSON.stringify(schema)));
  return text;
}

/** Estimates the tokens of tool definitions. */
export const sizeOfTools = (tools: StepRequest['tools']): number =>
  tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + estimateTokens(name + description + schemaText(inputSchema)),
    0,
  );

/** Estimates the tokens of the next prompt: the count of the vendor for the last one plus an estimate of the additions. */
export function expectedPrompt(state: RunState, instructions: string): number {
  const estimated = sizeOfMessages(state.messages) + estimateTokens(instructions);
  if (!state.lastPrompt) return estimated;
  const { counted, estimated: before } = state.lastPrompt;
  return Math.max(0, counted + estimated - before);
}
