import type { AgentCall, CallDiff, CallStatus } from '../driver.ts';
import { type CallTraits, callKind, mcpTool, toolName } from './call-kind.ts';
import { contentDiffs, contentTexts, outputDelta, reportedExitCode, reportedOutput } from './call-output.ts';
import { type Fields, hasMembers, idOf, listOf, textOf } from './fields.ts';
import { isObject } from '../json-rpc.ts';

/** A call with everything that its agent has reported of it. */
export interface KnownCall extends CallTraits {
  call: AgentCall;
  /** Whether the agent reports arguments of this call at all, if only empty ones. */
  reportsInput: boolean;
  /** Whether these arguments are all: it has said them of the call as it starts. */
  hasAllInput: boolean;
  locations: { path: string; line?: number }[];
  diffs: CallDiff[];
  /** The texts of its latest content: what it is about to do or, once it ran, its output. */
  texts: string[];
}

/** How a call became known: each leaves out what the others say. */
type Source = 'tool_call' | 'tool_call_update' | 'question';

const statuses: readonly string[] = ['pending', 'in_progress', 'completed', 'failed'];
const isStatus = (value: unknown): value is CallStatus =>
  typeof value === 'string' && statuses.includes(value);

/** Whether a call has ended. */
export const isOver = ({ status }: AgentCall): boolean =>
  status === 'completed' || status === 'failed' || status === 'declined';

/** The tool calls of a session: joins what the agent says of a call at different times. */
export class AcpCalls {
  readonly #calls = new Map<string, KnownCall>();
  #servers: readonly string[] = [];

  /** Names the MCP servers of the session, by which some agents prefix the names of tools. */
  useServers(names: readonly string[]): void {
    this.#servers = names;
  }

  /** Takes a description of a call; one without an ID is not joined with any other. */
  update(source: Source, update: Fields): { known: KnownCall; isNew: boolean } {
    const id = idOf(update['toolCallId']) ?? '';
    const earlier = this.#calls.get(id);
    const known = earlier ?? newCall(id);
    if (id !== '') this.#calls.set(id, known);
    this.#describe(known, source, update);
    const { call } = known;
    const isKnownStatus = isStatus(update['status']);
    // A question repeats `pending` for a call that may be further on, and what was refused stays refused.
    if (isKnownStatus && call.status !== 'declined' && !(source === 'question' && earlier))
      call.status = update['status'] as CallStatus;
    if (source === 'tool_call_update' || (source === 'tool_call' && isOver(call))) report(call, update);
    return { known, isNew: !earlier };
  }

  #describe(known: KnownCall, source: Source, update: Fields): void {
    const { call } = known;
    known.protocolKind = textOf(update['kind']) ?? known.protocolKind;
    known.title = textOf(update['title']) ?? known.title;
    known.name ??= toolName(update, known.id);
    if (isObject(update['rawInput'])) {
      known.reportsInput = true;
      known.hasAllInput ||= source === 'tool_call_update' && update['status'] === 'in_progress';
      if (hasMembers(update['rawInput'])) {
        known.input = { ...known.input, ...update['rawInput'] };
        call.input = update['rawInput'];
      }
    }
    const locations = listOf(update['locations']).flatMap(({ path, line }) =>
      typeof path === 'string' ? [{ path, ...(typeof line === 'number' && { line }) }] : [],
    );
    if (locations.length > 0) known.locations = locations;
    if (Array.isArray(update['content'])) known.texts = contentTexts(update['content']);
    const diffs = contentDiffs(update['content']);
    if (diffs.length > 0) call.diff = known.diffs = diffs;
    known.mcp ??= mcpTool(update, known, this.#servers);
    call.kind = callKind(known);
    call.title = known.title;
    call.name = known.name ?? known.protocolKind ?? '';
  }
}

/** Takes over what a call has put out. */
function report(call: AgentCall, update: Fields): void {
  call.exitCode = reportedExitCode(update) ?? call.exitCode;
  // Content of a call that has not started says what it will do.
  if (call.status !== 'pending') call.output = reportedOutput(update) ?? call.output;
  const delta = outputDelta(update);
  if (delta !== '') call.output = (call.output ?? '') + delta;
}

const newCall = (id: string): KnownCall => ({
  id,
  protocolKind: undefined,
  title: '',
  name: undefined,
  input: {},
  mcp: undefined,
  reportsInput: false,
  hasAllInput: false,
  locations: [],
  diffs: [],
  texts: [],
  call: { id, kind: 'other', name: '', title: '', status: 'pending' },
});
