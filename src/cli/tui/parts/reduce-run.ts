import type { Approval } from '../../../contract/approvals.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import { describeCompaction } from '../../output/describe-compaction.ts';
import {
  before,
  changeTool,
  keyOf,
  settleText,
  withPerson,
  withPlan,
  withText,
  withThought,
} from './entry-list.ts';
import type { RunEntry } from './run-entry.ts';
import { beginRun, finishRun, isRunning, type RunState, withNote } from './run-state.ts';

/** The state after more events. */
export const reduceRun = (state: RunState, events: readonly RunEvent[]): RunState =>
  events.reduce(next, state);

function next(state: RunState, event: RunEvent): RunState {
  const { timestamp } = event;
  switch (event.type) {
    case 'user_message':
      return {
        ...beginRun(state, timestamp),
        entries: withPerson(before(state.entries, event.data.id), event.data.content, event.data.id),
        ...(event.data.taskId !== undefined && { taskId: event.data.taskId }),
      };
    case 'session:start': {
      const { taskId, model, provider, maxSteps, maxBudget, instructionFiles } = event.data;
      return {
        ...withInstructions(isRunning(state) ? state : beginRun(state, timestamp), instructionFiles),
        model,
        provider,
        maxSteps,
        ...(taskId !== undefined && { taskId }),
        ...(maxBudget !== null && { maxBudget }),
      };
    }
    case 'agent:start': {
      const { agent, version, model } = event.data;
      const name = [agent, version].filter(Boolean).join(' ');
      return { ...(isRunning(state) ? state : beginRun(state, timestamp)), model: model ?? name };
    }
    case 'note':
      return withNote(state, event.data.message);
    case 'plan':
      return { ...state, entries: withPlan(state.entries, event.data.entries) };
    case 'usage': {
      const { input = 0, output = 0 } = event.data;
      return { ...state, usedTokens: input + output };
    }
    case 'thinking:start':
    case 'thinking:update':
    case 'thinking:end': {
      const isEnd = event.type === 'thinking:end';
      const entries = withThought(state.entries, event.data, { at: timestamp, isEnd });
      return { ...state, phase: isEnd ? 'waiting' : 'thinking', entries };
    }
    case 'step:start':
      return { ...state, phase: 'waiting', step: event.data.step, usedTokens: event.data.usedTokens };
    case 'text:delta':
      return { ...state, phase: 'writing', entries: withText(state.entries, event.data.delta) };
    case 'tool:call': {
      const { toolCallId: callId, name, arguments: args } = event.data;
      const entries = settleText(state.entries);
      return {
        ...state,
        phase: 'tool',
        entries: [
          ...entries,
          {
            kind: 'tool',
            key: keyOf(entries),
            callId,
            name,
            arguments: args,
            state: 'running',
            startedAt: timestamp,
          },
        ],
      };
    }
    case 'tool:result': {
      const { success, content } = event.data.result;
      const entries = changeTool(state.entries, event.data.toolCallId, (tool) => ({
        ...tool,
        state: success ? 'ok' : 'failed',
        result: content,
        endedAt: timestamp,
      }));
      return { ...state, entries, phase: phaseOf(entries) };
    }
    case 'approval:requested': {
      const { approval, toolCallId } = event.data;
      return {
        ...state,
        phase: 'deciding',
        approvals: [...without(state.approvals, approval), approval],
        entries: changeTool(state.entries, toolCallId, (tool) => ({ ...tool, state: 'asking' })),
      };
    }
    case 'approval:decided': {
      const { approval, toolCallId } = event.data;
      // Its duration excludes the time until it was approved.
      const entries = changeTool(state.entries, toolCallId, (tool) =>
        tool.state === 'asking' ? { ...tool, state: 'running', startedAt: timestamp } : tool,
      );
      return { ...state, entries, approvals: without(state.approvals, approval), phase: phaseOf(entries) };
    }
    case 'step:complete':
      return { ...state, usedTokens: event.data.usedTokens, entries: settleText(state.entries) };
    case 'compaction': {
      return withNote(state, describeCompaction(event.data));
    }
    case 'summary':
      return withSummary(state, event.data.summary);
    case 'complete': {
      const { totalTokens, model, provider, refusedCalls, finishReason } = event.data;
      const counted = totalTokens === undefined ? state : { ...state, usedTokens: totalTokens };
      const finished = finishRun({ ...counted, model, provider }, 'done', timestamp);
      const ended = finishReason === 'max_round_trips' ? withNote(finished, atLimit, 'warning') : finished;
      return refusedCalls ? withNote(ended, `${countCalls(refusedCalls.count)} refused.`, 'warning') : ended;
    }
    case 'message_saved':
      return state;
    case 'error':
      return { ...finishRun(state, 'failed', timestamp), error: event.data };
  }
}

/** Names the project's instructions once, not again for each message. */
function withInstructions(state: RunState, files: readonly string[] | undefined): RunState {
  const text = followingText(files);
  const isKnown = state.entries.some((entry) => entry.kind === 'note' && entry.text === text);
  return text === undefined || isKnown ? state : withNote(state, text);
}

/** Which instructions of the project a run follows; undefined if there are none. */
export const followingText = (files: readonly string[] = []): string | undefined =>
  files.length === 0 ? undefined : `Following ${files.join(', ')}`;

/** What stands below an answer that had to end because of too many tool calls. */
export const atLimit = 'Stopped at the limit of tool round trips. Send "continue" to let it go on.';

const countCalls = (count: number) => (count === 1 ? '1 call was' : `${count} calls were`);

/** The summary of a run is its answer, which often was written already. */
function withSummary(state: RunState, summary: string): RunState {
  const entries = settleText(state.entries);
  const last = entries.at(-1);
  if (summary.trim() === '' || (last?.kind === 'text' && last.text.trim() === summary.trim()))
    return { ...state, entries };
  return {
    ...state,
    entries: [...entries, { kind: 'text', key: keyOf(entries), text: summary, isComplete: true }],
  };
}

function phaseOf(entries: readonly RunEntry[]): RunState['phase'] {
  const open = entries.filter((entry) => entry.kind === 'tool').map(({ state }) => state);
  if (open.includes('asking')) return 'deciding';
  return open.includes('running') ? 'tool' : 'waiting';
}

const without = (approvals: readonly Approval[], { id }: Approval) =>
  approvals.filter((approval) => approval.id !== id);
