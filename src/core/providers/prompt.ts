import type { ChatMessage } from '../../contract/chat.ts';
import { AppError } from '../errors.ts';

export interface Turn {
  role: 'user' | 'assistant';
  content: string;
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
export function toPrompt(systemTexts: readonly string[], messages: readonly ChatMessage[]): Prompt {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const instructions = [...systemTexts, ...system].filter((text) => text.trim() !== '').join('\n\n');
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    if (role === 'system' || content.trim() === '') continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else turns.push({ role, content });
  }
  if (turns.length === 0) throw new AppError('validation', 'Expected a message that is not empty');
  return { instructions, turns };
}
