import type { ChatSettings } from './send-message.ts';

/** A message that the daemon does not have yet. */
export interface Outgoing {
  key: number;
  content: string;
  settings: ChatSettings;
  state: 'sending' | 'queued' | 'failed';
  error?: Error;
}

const prefix = 'waiting:';

/** The messages that waited in this tab when it was reloaded. They are sent by the person, who may want to change them. */
export function keptMessages(conversation: string): Outgoing[] {
  const kept = sessionStorage.getItem(prefix + conversation);
  if (kept === null) return [];
  const messages = JSON.parse(kept) as Pick<Outgoing, 'content' | 'settings'>[];
  return messages.map((message, at) => ({ ...message, key: at + 1, state: 'failed' }));
}

/** Keeps those that the daemon does not have, for a reload; one that is on its way would be sent twice. */
export function keepMessages(conversation: string, outgoing: readonly Outgoing[]): void {
  const waiting = outgoing.filter(({ state }) => state !== 'sending');
  if (waiting.length === 0) return sessionStorage.removeItem(prefix + conversation);
  const kept = waiting.map(({ content, settings }) => ({ content, settings }));
  try {
    sessionStorage.setItem(prefix + conversation, JSON.stringify(kept));
  } catch {
    // The store of the browser is full: then they outlive no reload.
  }
}
