import type { PlanEntry, PlanEntryStatus, SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { Approval } from '../../../contract/approvals.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import { approvalContent, describeCall, resultContent, textContent } from './tool-calls.ts';

interface KnownCall {
  name: string;
  args: unknown;
}

/** Turns the events of a turn into updates of a session. */
export class RunUpdates {
  readonly #cwd: string | undefined;
  readonly #calls = new Map<string, KnownCall>();

  /** `cwd` is where the tools work, if that is known. */
  constructor(cwd: string | undefined) {
    this.#cwd = cwd;
  }

  /** What an editor shows of the event; most events are one update, and some are none. */
  of(event: RunEvent): SessionUpdate[] {
    const { type, data } = event;
    if (type === 'text:delta') return [message('agent_message_chunk', data.delta)];
    if (type === 'thinking:update') return [message('agent_thought_chunk', data.text)];
    if (type === 'tool:call') return [this.#begin(data.toolCallId, data.name, data.arguments)];
    if (type === 'tool:result') return [this.#finish(data)];
    if (type === 'plan') return [{ sessionUpdate: 'plan', entries: data.entries.map(planEntry) }];
    if (type === 'approval:requested') return this.#ask(data.toolCallId, data.approval);
    if (type !== 'approval:decided' || data.approval.status !== 'approved') return [];
    return [{ sessionUpdate: 'tool_call_update', toolCallId: data.toolCallId, status: 'in_progress' }];
  }

  /** A call that waits for a decision, with all that the person has to know of it. */
  describe(toolCallId: string, approval: Approval): ToolCallUpdate {
    const call = describeCall(approval.toolName, approval.params, approval.cwd);
    return { toolCallId, ...call, status: 'pending', content: approvalContent(approval) };
  }

  /** Some calls are announced by their question alone. */
  #ask(toolCallId: string, approval: Approval): SessionUpdate[] {
    const { toolName, params } = approval;
    const isKnown = this.#calls.has(toolCallId);
    return [
      ...(isKnown ? [] : [this.#begin(toolCallId, toolName, params)]),
      { sessionUpdate: 'tool_call_update', ...this.describe(toolCallId, approval) },
    ];
  }

  #begin(toolCallId: string, name: string, args: unknown): SessionUpdate {
    this.#calls.set(toolCallId, { name, args });
    const call = describeCall(name, args, this.#cwd);
    return { sessionUpdate: 'tool_call', toolCallId, ...call, status: 'in_progress' };
  }

  #finish({ toolCallId, result, diff }: Extract<RunEvent, { type: 'tool:result' }>['data']): SessionUpdate {
    const { name = '', args } = this.#calls.get(toolCallId) ?? {};
    const content = result.success
      ? resultContent({ name, args, text: result.content, diff, cwd: this.#cwd })
      : textContent(result.content);
    const status = result.success ? 'completed' : 'failed';
    return { sessionUpdate: 'tool_call_update', toolCallId, status, ...(content && { content }) };
  }
}

const message = (
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
): SessionUpdate => ({ sessionUpdate, content: { type: 'text', text } });

const planStatuses: readonly PlanEntryStatus[] = ['pending', 'in_progress', 'completed'];

const planEntry = ({ text, status }: { text: string; status: string }): PlanEntry => ({
  content: text,
  priority: 'medium',
  status: planStatuses.find((each) => each === status) ?? 'pending',
});
