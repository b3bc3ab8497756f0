import type { ModelMessage } from 'ai';
import type { ChatMessage } from '../../contract/chat.ts';
import { AppError } from '../errors.ts';

export interface Turn {
  role: 'user' | 'assistant';
  /** The whole of it as text. */
  content: string;
  /** The same with its tool calls and results as such, for a request with tools. */
  messages?: ModelMessage[];
}
/** A message that makes a turn of a prompt. */
export interface PromptMessage extends ChatMessage {
  messages?: ModelMessage[];
}
/** The prompt for a model. */
export interface Prompt {
  instructions: string;
  turns: Turn[];
}

/**
 * Joins all system texts into the instructions, and what one speaker says in several messages into one turn: some
 * vendors refuse anything else. Empty messages, which some refuse too, are left out.
 */
export function toPrompt(systemTexts: readonly string[], messages: readonly PromptMessage[]): Prompt {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const instructions = [...systemTexts, ...system].filter((text) => text.trim() !== '').join('\n\n');
  const turns: Turn[] = [];
  for (const { role, content, messages: parts } of messages) {
    if (role === 'system' || content.trim() === '') continue;
    const last = turns.at(-1);
    if (last?.role !== role) {
      turns.push({ role, content, ...(parts && { messages: parts }) });
      continue;
    }
    if (parts ?? last.messages)
      last.messages = [
        ...toModelMessages([last]),
        ...toModelMessages([{ role, content, ...(parts && { messages: parts }) }]),
      ];
    last.content += `\n\n${content}`;
  }
  if (turns.length === 0) throw new AppError('validation', 'Expected a message that is not empty');
  return { instructions, turns };
}

/** The turns for a request with tools. */
export const toModelMessages = (turns: readonly Turn[]): ModelMessage[] =>
  turns.flatMap(({ role, content, messages }): ModelMessage[] => messages ?? [{ role, content }]);
