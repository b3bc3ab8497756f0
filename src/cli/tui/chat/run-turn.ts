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
  complain: (error: unknown) => void;
  cancelTask: (id: string) => void;
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
const stopped = new Set(['STOPPED', 'WRONG_STATE']);

/** How the stream ended; undefined where it broke off. */
async function stream(turn: Turn, parts: TurnParts): Promise<TurnEnd | undefined> {
  const { client, content, settings, push } = parts;
  const id = parts.conversationId() ?? (await parts.begin());
  let end: TurnEnd | undefined;
  for await (const event of sendMessage(client, id, content, settings, turn.controller.signal)) {
    if (event.type === 'error' && stopped.has(event.data.code) && !turn.isCancelled) return undefined;
    push({ kind: 'run', event });
    noteTask(turn, event, parts);
    if (event.type === 'complete') end = 'done';
    if (event.type === 'error') {
      if (turn.isCancelled) return interrupted(parts);
      parts.complain(runFailure(event.data));
      end = 'failed';
    }
  }
  return end ?? (turn.isCancelled ? interrupted(parts) : undefined);
}

function noteTask(turn: Turn, { type, data }: RunEvent, { cancelTask }: TurnParts): void {
  if ((type !== 'user_message' && type !== 'session:start') || data.taskId === undefined) return;
  const isNew = turn.taskId === undefined;
  turn.taskId = data.taskId;
  // It was cancelled before it was known what to cancel.
  if (isNew && turn.isCancelled) cancelTask(data.taskId);
}

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
