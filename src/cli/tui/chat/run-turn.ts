import type { Client } from '../../../contract/client.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import type { ChatSettings } from '../../commands/chat/chat-settings.ts';
import { runFailure } from '../../commands/chat/run-failure.ts';
import { sendMessage } from '../../commands/chat/send-message.ts';
import { Unreachable } from '../../connection/connection.ts';
import type { ChatEvent } from './chat-state.ts';
import { askUntilAnswered, isLost } from './connection-lost.ts';
import type { ConversationAnswer } from './load-chat.ts';

/** A turn that is running. */
export interface Turn {
  controller: AbortController;
  isAgentic: boolean;
  taskId?: string;
  /** Whether the daemon has begun it. */
  isBegun: boolean;
  isCancelled: boolean;
  isReconnecting: boolean;
  /** Whether the conversation was read after the connection was lost. */
  wasReadAgain?: boolean;
}

/** `open`: the daemon continues it; `unsent`: no daemon was there, and the message did not reach one. */
export type TurnEnd = 'done' | 'interrupted' | 'failed' | 'open' | 'unsent';

export interface TurnParts {
  client: Client;
  content: string;
  settings: ChatSettings;
  conversationId: () => string | undefined;
  /** Creates the conversation. */
  begin: () => Promise<string>;
  /** Shows the conversation as it was read again. */
  show: (answer: ConversationAnswer) => void;
  apply: (event: ChatEvent) => void;
  push: (event: ChatEvent) => void;
  now: () => number;
  complain: (error: unknown) => void;
  /** Where the conversation works, if that is another directory. */
  directory: () => string | undefined;
  /** Stops the turn. */
  stop: () => void;
  /** Learns which turn it is. */
  note: (event: RunEvent) => void;
}

/** Sends a message and shows its answer; where the connection breaks, waits for the daemon and reads what became of it. */
export async function runTurn(turn: Turn, parts: TurnParts): Promise<TurnEnd> {
  for (;;) {
    try {
      return (await stream(turn, parts)) ?? (await reconnect(turn, parts));
    } catch (error) {
      if (turn.isCancelled) return interrupted(parts);
      if (!isLost(error)) {
        parts.complain(error);
        return 'failed';
      }
      const wasSent = !(error instanceof Unreachable && error.isRefused);
      const end = await reconnect(turn, parts, wasSent);
      if (wasSent || end !== 'done') return wasSent ? end : 'unsent';
    }
  }
}

/** What a turn ends with when the daemon stops. */
const STOPPED = 'STOPPED';
/** What it ends with when a client stops it. */
const CANCELLED = 'CANCELLED';

/** How the stream ended; undefined where it broke off. */
async function stream(turn: Turn, parts: TurnParts): Promise<TurnEnd | undefined> {
  const { client, content, settings, push } = parts;
  const id = parts.conversationId() ?? (await parts.begin());
  let end: TurnEnd | undefined;
  for await (const event of sendMessage(client, id, content, settings, turn.controller.signal)) {
    if (event.type === 'error' && event.data.code === STOPPED && !turn.isCancelled) return undefined;
    // It was interrupted before there was anything to stop.
    if (turn.isCancelled && !turn.isBegun) parts.stop();
    turn.isBegun = true;
    parts.note(event);
    push({ kind: 'run', event, at: parts.now() });
    if (event.type === 'user_message' && event.data.taskId !== undefined) turn.taskId = event.data.taskId;
    if (event.type === 'complete') end = 'done';
    if (event.type === 'error') {
      if (turn.isCancelled || event.data.code === CANCELLED) return interrupted(parts);
      parts.complain(runFailure(event.data, contextOf(turn, id, parts.directory())));
      end = 'failed';
    }
  }
  return end ?? (turn.isCancelled ? interrupted(parts) : undefined);
}

/** The work of an agentic turn can go on as a task. */
const contextOf = ({ isAgentic }: Turn, id: string, cwd: string | undefined) =>
  isAgentic ? { agentic: { id, cwd } } : {};

/** Waits for the daemon; a conversation that got the message is then shown as it is stored. */
async function reconnect(turn: Turn, parts: TurnParts, isRead = true): Promise<TurnEnd> {
  const { client, apply, push } = parts;
  const id = parts.conversationId();
  turn.isReconnecting = true;
  apply({ kind: 'reconnecting', isOn: true });
  try {
    const { signal } = turn.controller;
    if (id === undefined || !isRead) {
      await askUntilAnswered(() => client.conversations.list({ query: { limit: 1 } }), signal);
      return 'done';
    }
    const answer = await askUntilAnswered(() => client.conversations.get({ params: { id } }), signal);
    turn.wasReadAgain = true;
    parts.show(answer);
    if (answer.pendingApprovals.length > 0 || answer.currentRun !== undefined) return 'open';
    if (answer.messages.at(-1)?.role !== 'user') return 'done';
    if (turn.isAgentic) return 'open';
    push({
      kind: 'note',
      tone: 'warning',
      text: 'The connection was lost before the answer was complete. Press ↑ and Enter to send the message again.',
    });
    return 'failed';
  } catch (error) {
    if (!turn.controller.signal.aborted) parts.complain(error);
    else push({ kind: 'note', text: 'Not connected. See: svc daemon status' });
    return 'failed';
  } finally {
    turn.isReconnecting = false;
    apply({ kind: 'reconnecting', isOn: false });
  }
}

function interrupted({ push }: Pick<TurnParts, 'push'>): TurnEnd {
  push({ kind: 'note', text: 'Interrupted.' });
  return 'interrupted';
}
