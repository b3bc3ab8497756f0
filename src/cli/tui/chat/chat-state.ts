import type { Approval } from '../../../contract/approvals.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import type { ChatSettings } from '../../commands/chat/chat-settings.ts';
import { withPerson } from '../parts/entry-list.ts';
import type { NoteEntry, RunEntry } from '../parts/run-entry.ts';
import { reduceRun } from '../parts/reduce-run.ts';
import { beginRun, emptyRun, endRun, type RunState, withNote } from '../parts/run-state.ts';

export interface ChatState {
  run: RunState;
  settings: ChatSettings;
  conversation?: Conversation | undefined;
  /** The model that answers unless another is chosen; undefined until it is known. */
  defaultModel?: string | undefined;
  /** Whether no provider is set up, so that nothing could answer. */
  isWithoutProvider?: boolean | undefined;
  /** Entries before this one were cleared from the screen. */
  firstShown: number;
  /** By the clock of this machine; that of the daemon may be another one. */
  sentAt?: number | undefined;
  answeredAt?: number | undefined;
}

/** What changes a chat: the events of its runs, and what its person does. */
export type ChatEvent =
  | { kind: 'run'; event: RunEvent }
  | { kind: 'sent'; text: string; at: number }
  | { kind: 'ended'; at: number }
  | {
      kind: 'opened';
      conversation: Conversation | undefined;
      entries: readonly RunEntry[];
      approvals: readonly Approval[];
    }
  | { kind: 'began'; conversation: Conversation }
  | { kind: 'asked'; approvals: readonly Approval[] }
  | { kind: 'decided'; id: string }
  | { kind: 'put-aside' }
  | { kind: 'note'; text: string; tone?: NoteEntry['tone'] }
  | { kind: 'set'; settings: Partial<ChatSettings> }
  | { kind: 'ready'; defaultModel: string | undefined; isWithoutProvider: boolean }
  | { kind: 'cleared' };

export const beginChat = (settings: ChatSettings): ChatState => ({ run: emptyRun, settings, firstShown: 0 });

/** The chat after more events. */
export const reduceChat = (state: ChatState, events: readonly ChatEvent[]): ChatState =>
  events.reduce(next, state);

function next(state: ChatState, event: ChatEvent): ChatState {
  const { run } = state;
  switch (event.kind) {
    case 'run':
      return { ...state, run: reduceRun(run, [event.event]) };
    case 'sent': {
      const begun = beginRun(run, event.at);
      const entries = withPerson(begun.entries, event.text);
      return { ...state, run: { ...begun, entries }, sentAt: event.at, answeredAt: undefined };
    }
    case 'ended':
      return { ...state, run: endRun(run, event.at), answeredAt: event.at };
    case 'opened': {
      const { conversation, entries, approvals } = event;
      const { settings, defaultModel, isWithoutProvider } = state;
      const opened = { ...emptyRun, entries, approvals };
      return { run: opened, settings, defaultModel, isWithoutProvider, conversation, firstShown: 0 };
    }
    case 'began':
      return { ...state, conversation: event.conversation };
    case 'asked': {
      const known = new Set(run.approvals.map(({ id }) => id));
      const added = event.approvals.filter(({ id }) => !known.has(id));
      return { ...state, run: { ...run, approvals: [...run.approvals, ...added] } };
    }
    case 'decided':
      return {
        ...state,
        run: { ...run, approvals: run.approvals.filter(({ id }) => id !== event.id) },
      };
    case 'put-aside':
      return {
        ...state,
        run: withNote({ ...run, approvals: [] }, 'Decide pending approvals later: /approvals'),
      };
    case 'note':
      return { ...state, run: withNote(run, event.text, event.tone) };
    case 'set':
      return { ...state, settings: { ...state.settings, ...event.settings } };
    case 'ready': {
      const { defaultModel, isWithoutProvider } = event;
      return { ...state, defaultModel, isWithoutProvider };
    }
    case 'cleared':
      return { ...state, firstShown: run.entries.length };
  }
}
