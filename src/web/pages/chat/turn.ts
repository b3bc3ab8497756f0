import type { CurrentRun } from '../../../contract/conversations.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import { formatNumber } from '../../components/format-number.ts';

type Arguments = Extract<RunEvent, { type: 'tool:call' }>['data']['arguments'];
type Diffs = Extract<RunEvent, { type: 'tool:result' }>['data']['diff'];

export interface ToolEntry {
  kind: 'tool';
  callId: string;
  name: string;
  args: Arguments;
  state: 'running' | 'asking' | 'ok' | 'failed' | 'refused' | 'stopped';
  result?: string;
  diffs?: Diffs;
  /** Unknown in a conversation that was stored. */
  startedAt?: number;
  endedAt?: number;
}

/** What stands below each other in a conversation. */
export type Entry =
  | { kind: 'person'; text: string }
  | { kind: 'text'; text: string; isOpen: boolean }
  | { kind: 'thinking'; text: string; startedAt: number; endedAt?: number }
  | { kind: 'note'; tone: 'muted' | 'warning' | 'bad'; text: string; next?: string | undefined }
  | { kind: 'plan'; steps: readonly { text: string; status: string }[] }
  | ToolEntry;

/** What is known of a turn from its events; times are in epoch milliseconds. */
export interface Turn {
  /** Of the message that it answers; of its run, where its beginning was not sent. */
  id: string;
  runId?: string | undefined;
  entries: readonly Entry[];
  phase: 'waiting' | 'thinking' | 'writing' | 'tool' | 'deciding' | 'done';
  startedAt: number;
  end?: 'done' | 'interrupted' | 'failed';
  taskId?: string;
  step?: number;
  maxSteps?: number;
  usedTokens?: number;
}

/** Codes of turns that a person ended. */
export const interruptions: Record<string, string> = {
  CANCELLED: 'Stopped.',
  OVERTAKEN: 'Interrupted by a new message.',
};

/** What stands below an answer that had to end because of too many tool calls. */
export const atLimit = 'Stopped at the limit of tool round trips.';

/** What a person may do about a turn that failed, by the code of the failure; the first match counts. */
const remedies: [code: RegExp, next: string][] = [
  [
    /not_configured|needs_login|^auth$|unauthenticated|quota/i,
    'Check the model provider under Settings, Models.',
  ],
  [/timeout|timed_out|max_steps|stopped/i, 'Send “continue” to resume.'],
  [/budget|max_tokens/i, 'Increase the budget, or send “continue”.'],
  [/context_too_long/i, 'Compact the conversation, then send the message again.'],
  [/denied/i, 'Say what it should do instead.'],
  [/rate_?limit|unavailable|overload|network|vendor_error|broken_off/i, 'Try again in a moment.'],
];

/** What to do after a failure; undefined where nothing is known to help. */
export const nextStepOf = (code: string): string | undefined =>
  remedies.find(([pattern]) => pattern.test(code.replaceAll('-', '_')))?.[1];

export const isRunning = (turn: Turn): boolean => turn.end === undefined;

/** Whether a run that was read is still open, as far as the turns that were seen know. */
export const isOpenRun = (run: CurrentRun | undefined, turns: readonly Turn[]): boolean =>
  run !== undefined && !turns.some((turn) => turn.runId === run.id && !isRunning(turn));

/** A turn of which only its first event is known. */
export const beginTurn = (id: string, startedAt: number, message?: string): Turn => ({
  id,
  entries: message === undefined ? [] : [{ kind: 'person', text: message }],
  phase: 'waiting',
  startedAt,
});

/** The turn after one more event. */
export function reduceTurn(turn: Turn, event: RunEvent): Turn {
  const { timestamp } = event;
  switch (event.type) {
    case 'session:start': {
      const { taskId, maxSteps, instructionFiles = [] } = event.data;
      const known = { ...turn, maxSteps, ...(taskId !== undefined && { taskId }) };
      return instructionFiles.length > 0
        ? withNote(known, `Following ${instructionFiles.join(', ')}`)
        : known;
    }
    case 'note':
      return withNote(turn, event.data.message);
    case 'plan': {
      const plan: Entry = { kind: 'plan', steps: event.data.entries };
      const { entries } = turn;
      return entries.at(-1)?.kind === 'plan'
        ? { ...turn, entries: entries.with(-1, plan) }
        : { ...turn, entries: [...settled(entries), plan] };
    }
    case 'usage':
      return { ...turn, usedTokens: (event.data.input ?? 0) + (event.data.output ?? 0) };
    case 'thinking:start':
    case 'thinking:update':
    case 'thinking:end':
      return withThought(turn, event);
    case 'step:start':
      return { ...turn, phase: 'waiting', step: event.data.step, usedTokens: event.data.usedTokens };
    case 'text:delta':
      return { ...turn, phase: 'writing', entries: withText(turn.entries, event.data.delta) };
    case 'tool:call': {
      const { toolCallId: callId, name, arguments: args } = event.data;
      const call: ToolEntry = { kind: 'tool', callId, name, args, state: 'running', startedAt: timestamp };
      return { ...turn, phase: 'tool', entries: [...settled(turn.entries), call] };
    }
    case 'tool:result': {
      const { toolCallId, result, diff } = event.data;
      return withTool(turn, toolCallId, (tool) => ({
        ...tool,
        state: result.success ? 'ok' : result.refused ? 'refused' : 'failed',
        result: result.content,
        ...(diff && { diffs: diff }),
        endedAt: timestamp,
      }));
    }
    case 'approval:requested':
      return withTool(turn, event.data.toolCallId, (tool) => ({ ...tool, state: 'asking' }));
    case 'approval:decided':
      // The time until the decision is no time of the call.
      return withTool(turn, event.data.toolCallId, (tool) =>
        tool.state === 'asking' ? { ...tool, state: 'running', startedAt: timestamp } : tool,
      );
    case 'step:complete':
      return { ...turn, usedTokens: event.data.usedTokens, entries: settled(turn.entries) };
    case 'compaction':
      return withNote(turn, describeCompaction(event.data));
    case 'summary':
      return withSummary(turn, event.data.summary);
    case 'complete': {
      const { refusedCalls, finishReason } = event.data;
      const limited =
        finishReason === 'max_round_trips'
          ? withNote(turn, atLimit, 'warning', 'Send “continue” to resume.')
          : turn;
      return finish(
        refusedCalls
          ? withNote(
              limited,
              `${refusedCalls.count === 1 ? '1 call was' : `${refusedCalls.count} calls were`} refused.`,
              'warning',
            )
          : limited,
        'done',
        timestamp,
      );
    }
    case 'error': {
      const { code, message } = event.data;
      const interruption = interruptions[code];
      const tone = interruption === undefined ? 'bad' : 'muted';
      const noted = withNote(turn, interruption ?? message, tone, nextStepOf(code));
      return finish(noted, interruption === undefined ? 'failed' : 'interrupted', timestamp);
    }
    case 'user_message':
    case 'agent:start':
    case 'message_saved':
    default:
      // A newer daemon may send more.
      return turn;
  }
}

/** What a compaction saved, in one line. */
export const describeCompaction = (of: { tokensBefore: number; tokensAfter: number }): string =>
  `Earlier messages were summarized for the model: ${formatNumber(of.tokensBefore)} → ${formatNumber(of.tokensAfter)} tokens.`;

type Tone = Extract<Entry, { kind: 'note' }>['tone'];
const withNote = (turn: Turn, text: string, tone: Tone = 'muted', next?: string): Turn => ({
  ...turn,
  entries: [...settled(turn.entries), { kind: 'note', tone, text, next }],
});

function withText(entries: readonly Entry[], delta: string): readonly Entry[] {
  const last = entries.at(-1);
  if (last?.kind === 'text' && last.isOpen) return entries.with(-1, { ...last, text: last.text + delta });
  return delta === '' ? entries : [...entries, { kind: 'text', text: delta, isOpen: true }];
}

/** Nothing more comes to the text that was being written. */
function settled(entries: readonly Entry[]): readonly Entry[] {
  const last = entries.at(-1);
  return last?.kind === 'text' && last.isOpen ? entries.with(-1, { ...last, isOpen: false }) : entries;
}

/** The summary of a run is its answer, which often was written already. */
function withSummary(turn: Turn, summary: string): Turn {
  const entries = settled(turn.entries);
  const last = entries.at(-1);
  const isKnown = last?.kind === 'text' && last.text.trim() === summary.trim();
  if (summary.trim() === '' || isKnown) return { ...turn, entries };
  return { ...turn, entries: [...entries, { kind: 'text', text: summary, isOpen: false }] };
}

type ThinkingEvent = Extract<RunEvent, { type: `thinking:${string}` }>;
/** The end of a thought may repeat its full text. */
function withThought(turn: Turn, { type, data: { text }, timestamp }: ThinkingEvent): Turn {
  const isEnd = type === 'thinking:end';
  const phase = isEnd ? 'waiting' : 'thinking';
  const at = turn.entries.findLastIndex((entry) => entry.kind === 'thinking' && entry.endedAt === undefined);
  const open = turn.entries[at];
  if (open?.kind === 'thinking') {
    const whole = text.startsWith(open.text) ? text : open.text + text;
    const entry = { ...open, text: whole, ...(isEnd && { endedAt: timestamp }) };
    return { ...turn, phase, entries: turn.entries.with(at, entry) };
  }
  if (isEnd) return { ...turn, phase };
  return {
    ...turn,
    phase,
    entries: [...settled(turn.entries), { kind: 'thinking', text, startedAt: timestamp }],
  };
}

function withTool(turn: Turn, callId: string, change: (tool: ToolEntry) => ToolEntry): Turn {
  const at = turn.entries.findLastIndex((entry) => entry.kind === 'tool' && entry.callId === callId);
  const tool = turn.entries[at];
  if (tool?.kind !== 'tool') return turn;
  const entries = turn.entries.with(at, change(tool));
  const states = entries.map((entry) => entry.kind === 'tool' && entry.state);
  const phase = states.includes('asking') ? 'deciding' : states.includes('running') ? 'tool' : 'waiting';
  return { ...turn, phase, entries };
}

/** A turn ends, and with it all that it had begun. */
function finish(turn: Turn, end: NonNullable<Turn['end']>, at: number): Turn {
  const entries = settled(turn.entries).map((entry): Entry => {
    if (entry.kind === 'tool' && (entry.state === 'running' || entry.state === 'asking'))
      return { ...entry, state: 'stopped', endedAt: at };
    return entry.kind === 'thinking' && entry.endedAt === undefined ? { ...entry, endedAt: at } : entry;
  });
  return { ...turn, entries, end, phase: 'done' };
}
