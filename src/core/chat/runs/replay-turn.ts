import type { Approval } from '../../../contract/approvals.ts';
import type { RunEventInput } from '../../../contract/run-events.ts';
import { maskValue } from '../../tools/mask-secrets.ts';
import type { MessageRun } from './message-runs.ts';
import { MESSAGE_ROUND_TRIPS } from './run-policy.ts';

type Arguments = Extract<RunEventInput, { type: 'tool:call' }>['data']['arguments'];

/** The events of a stored turn, for clients that join it after the daemon was restarted. */
export function replayTurn(
  { id, conversation, options, state }: MessageRun,
  approvals: readonly Approval[],
): RunEventInput[] {
  const maxSteps = (options.maxRoundTrips ?? MESSAGE_ROUND_TRIPS) + 1;
  const { provider, model, userMessageId, content } = options;
  const events: RunEventInput[] = [];
  if (userMessageId !== undefined) {
    const data = { id: userMessageId, content, compactionApplied: false };
    // Its answer is stored already.
    const messageCount = Math.max(1, conversation.message_count - 1);
    events.push({ type: 'user_message', data: { ...data, messageCount } });
  }
  const limits = { maxSteps, maxBudget: null, timeoutMs: null };
  const data = { sessionId: id, conversationId: conversation.id, provider, model, ...limits };
  events.push({ type: 'session:start', data });
  let made = 0;
  for (const [index, { text, calls }] of (state.steps ?? []).entries()) {
    const step = index + 1;
    events.push({ type: 'step:start', data: { step, maxSteps, usedTokens: 0, maxBudget: null } });
    if (text !== '') events.push({ type: 'text:delta', data: { step, delta: text } });
    for (const call of state.calls.slice(made, made + calls)) {
      const toolCallId = `${id}:${made++}`;
      const result = { success: call.status === 'success', content: call.result };
      events.push(
        { type: 'tool:call', data: { toolCallId, name: call.name, arguments: masked(call.arguments) } },
        { type: 'tool:result', data: { toolCallId, result } },
      );
    }
  }
  for (const { id: toolCallId, name, args, approvalId } of state.open) {
    events.push({ type: 'tool:call', data: { toolCallId, name, arguments: masked(args) } });
    const approval = approvals.find((each) => each.id === approvalId);
    if (approval) events.push({ type: 'approval:requested', data: { toolCallId, approval } });
  }
  return events;
}

const masked = (args: unknown): Arguments => maskValue(args ?? null) as Arguments;
