import type { Approval } from '../../../contract/approvals.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import type { ChatSettings } from '../../commands/chat/chat-settings.ts';
import { keyOf, settleText, withOutput, withPerson } from '../parts/entry-list.ts';
import type { NoteEntry, RunEntry } from '../parts/run-entry.ts';
import { reduceRun } from '../parts/reduce-run.ts';
import { beginRun, emptyRun, endRun, isRunning, type RunState, withNote } from '../parts/run-state.ts';
import type { Attachment } from '../../../contract/attachments.ts';

export interface ChatState {
  run: RunState;
  settings: ChatSettings;
  conversation?: Conversation | undefined;
  /** The model that answers unless another is chosen; undefined until it is known. */
  defaultModel?: string | undefined;
  /** Of the agent that answers, where it says one. */
  agentVersion?: string | undefined;
  /** The security mode of the policy, where the caller may read it. */
  defaultMode?: SecurityMode | undefined;
  /** Whether no provider is set up, so that nothing could answer. */
  isWithoutProvider?: boolean | undefined;
  /** Entries before this one were cleared from the screen. */
  firstShown: number;
  /** By the clock of this machine; that of the daemon may be another one. */
  sentAt?: number | undefined;
  answeredAt?: number | undefined;
  /** Messages that are sent after the current turn. */
  queued: readonly string[];
  /** What goes with the next message. */
  attached: readonly Attachment[];
  /** The approvals that are decided later. */
  putAside: readonly string[];
  /** The command of the user that runs on this machine. */
  shell?: string | undefined;
  isReconnecting?: boolean | undefined;
  /** Whether the model sums the conversation up. */
  isCompacting?: boolean | undefined;
}

/** What changes a chat: the events of its runs, and what its person does. */
export type ChatEvent =
  | { kind: 'run'; event: RunEvent; at: number }
  | { kind: 'sent'; text: string; at: number }
  | { kind: 'ended'; at: number }
  | { kind: 'queued'; messages: readonly string[] }
  | { kind: 'attached'; attached: readonly Attachment[] }
  | { kind: 'shell'; command: string | undefined }
  | { kind: 'output'; text: string }
  | { kind: 'patch'; patch: string }
  | { kind: 'reconnecting'; isOn: boolean }
  | { kind: 'compacting'; isOn: boolean }
  | { kind: 'reported'; conversation: Conversation }
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
  | {
      kind: 'ready';
      defaultModel: string | undefined;
      defaultMode: SecurityMode | undefined;
      isWithoutProvider: boolean;
    }
  | { kind: 'cleared' };

export const beginChat = (settings: ChatSettings): ChatState => ({
  run: emptyRun,
  settings,
  firstShown: 0,
  queued: [],
  attached: [],
  putAside: [],
});

/** The chat after more events. */
export const reduceChat = (state: ChatState, events: readonly ChatEvent[]): ChatState =>
  events.reduce(next, state);

function next(state: ChatState, event: ChatEvent): ChatState {
  const { run } = state;
  switch (event.kind) {
    case 'run': {
      const { event: happened, at } = event;
      const after = withRun(state, reduceRun(run, [happened]), at);
      return happened.type === 'agent:start' ? withAgentStart(after, happened.data) : after;
    }
    case 'sent': {
      const begun = beginRun(run, event.at);
      const entries = withPerson(begun.entries, event.text);
      return { ...state, run: { ...begun, entries }, sentAt: event.at, answeredAt: undefined };
    }
    case 'ended':
      return { ...state, run: endRun(run, event.at), answeredAt: event.at };
    case 'opened': {
      const { conversation, entries, approvals } = event;
      const opened = { ...emptyRun, entries, approvals: withoutAside(state, approvals) };
      const shown = conversation ? withAgentOf(state, conversation) : state;
      return { ...shown, run: opened, conversation, firstShown: 0, sentAt: undefined, answeredAt: undefined };
    }
    case 'queued':
      return { ...state, queued: event.messages };
    case 'attached':
      return { ...state, attached: event.attached };
    case 'shell': {
      const entries = settleText(run.entries);
      return event.command === undefined
        ? { ...state, shell: undefined }
        : {
            ...state,
            shell: event.command,
            run: { ...run, entries: [...entries, shellEntry(entries, event.command)] },
          };
    }
    case 'output':
      return { ...state, run: { ...run, entries: withOutput(run.entries, 'stdout', event.text) } };
    case 'reconnecting':
      return { ...state, isReconnecting: event.isOn };
    case 'compacting':
      return { ...state, isCompacting: event.isOn };
    case 'reported':
      return { ...state, conversation: event.conversation };
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
        putAside: [...state.putAside, ...run.approvals.map(({ id }) => id)],
        run: withNote({ ...run, approvals: [] }, 'Decide pending approvals later: /approvals'),
      };
    case 'patch': {
      const entries = settleText(run.entries);
      const shown: RunEntry = { kind: 'patch', key: keyOf(entries), patch: event.patch };
      return { ...state, run: { ...run, entries: [...entries, shown] } };
    }
    case 'note':
      return { ...state, run: withNote(run, event.text, event.tone) };
    case 'set':
      return { ...state, settings: { ...state.settings, ...event.settings } };
    case 'ready': {
      const { defaultModel, defaultMode, isWithoutProvider } = event;
      return { ...state, defaultModel, defaultMode, isWithoutProvider };
    }
    case 'cleared':
      return { ...state, firstShown: run.entries.length };
  }
}

/** What answers is a matter of the conversation; a model that was chosen for another one means nothing to it. */
function withAgentOf(state: ChatState, { agent }: Conversation): ChatState {
  const { settings, conversation: before } = state;
  if (agent === settings.agent) return state;
  const chosen = before === undefined ? {} : { model: undefined, provider: undefined };
  const isAgentic = agent === undefined && settings.isAgentic;
  return { ...state, agentVersion: undefined, settings: { ...settings, ...chosen, isAgentic, agent } };
}

/** Says once where the agent works, because it changes files in place. */
function withAgentStart(
  state: ChatState,
  { agent, version, cwd }: Extract<RunEvent, { type: 'agent:start' }>['data'],
): ChatState {
  const text = `${agent} works in ${cwd} itself, not in a copy.`;
  const isSaid = state.run.entries.some((entry) => entry.kind === 'note' && entry.text === text);
  return { ...state, agentVersion: version, run: isSaid ? state.run : withNote(state.run, text) };
}

const withoutAside = ({ putAside }: ChatState, approvals: readonly Approval[]) =>
  approvals.filter(({ id }) => !putAside.includes(id));

/** The chat with its run after an event of it, also where another client began the run. */
function withRun(state: ChatState, run: RunState, at: number): ChatState {
  const kept = { ...run, approvals: withoutAside(state, run.approvals) };
  const wasRunning = isRunning(state.run);
  const begun = !wasRunning && isRunning(run) ? { sentAt: at, answeredAt: undefined } : {};
  const ended = wasRunning && !isRunning(run) ? { answeredAt: at } : {};
  return { ...state, run: kept, ...begun, ...ended };
}

const shellEntry = (entries: readonly RunEntry[], command: string): NoteEntry => ({
  kind: 'note',
  key: keyOf(entries),
  tone: 'accent',
  text: `! ${command}`,
});
