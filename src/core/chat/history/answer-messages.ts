import type { ModelMessage } from 'ai';
import type { MessageError, ToolCall } from '../../../contract/conversations.ts';
import type { MessageRow } from '../../storage/rows/conversations.ts';
import { resultLimit, trimArguments, trimText } from './trim-call.ts';
import type { TurnStep } from './turn-step.ts';

const MAX_REASON = 200;

/**
 * A stored answer as a model sees it again, independent of the vendor that gave it: its steps in order, each call with
 * its result, and a text at the end that also says when the answer is not complete.
 */
export function answerMessages(
  row: Pick<MessageRow, 'seq' | 'content' | 'tool_calls' | 'steps' | 'status' | 'error' | 'finish_reason'>,
): ModelMessage[] {
  const calls = JSON.parse(row.tool_calls ?? '[]') as ToolCall[];
  const messages: ModelMessage[] = [];
  let made = 0;
  let lastText = '';
  for (const { text, calls: count } of stepsOf(row, calls)) {
    const own = calls.slice(made, made + count);
    if (own.length === 0) lastText = text;
    else messages.push(...callMessages(text, own, { seq: row.seq, first: made, all: calls.length }));
    made += own.length;
  }
  const text = [lastText.trim(), noteOf(row, lastText)].filter(Boolean).join('\n\n');
  return [...messages, { role: 'assistant', content: text }];
}

function callMessages(
  text: string,
  calls: readonly ToolCall[],
  { seq, first, all }: { seq: number; first: number; all: number },
): ModelMessage[] {
  const limit = resultLimit(all);
  const named = calls.map((call, at) => ({
    call,
    toolCallId: callId(seq, first + at),
    toolName: call.name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'tool',
  }));
  return [
    {
      role: 'assistant',
      content: [
        ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
        ...named.map(({ call, toolCallId, toolName }) => ({
          type: 'tool-call' as const,
          toolCallId,
          toolName,
          input: trimArguments(call.arguments, limit),
        })),
      ],
    },
    ...named.map(({ call, toolCallId, toolName }): ModelMessage => ({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId,
          toolName,
          output: { type: 'text', value: trimText(call.result, limit) },
        },
      ],
    })),
  ];
}

/** Nine letters and digits, which every vendor accepts, and unique in the conversation. */
const callId = (seq: number, index: number): string =>
  `h${seq.toString(36).padStart(4, '0').slice(-4)}${index.toString(36).padStart(4, '0').slice(-4)}`;

/** Earlier versions stored no steps: their calls came before the text. */
function stepsOf({ steps, content }: Pick<MessageRow, 'steps' | 'content'>, calls: ToolCall[]): TurnStep[] {
  if (steps === null)
    return [
      { text: '', calls: calls.length },
      { text: content, calls: 0 },
    ];
  const stored = JSON.parse(steps) as TurnStep[];
  const counted = stored.reduce((sum, step) => sum + step.calls, 0);
  return counted >= calls.length ? stored : [...stored, { text: '', calls: calls.length - counted }];
}

function noteOf(
  { status, error, finish_reason }: Pick<MessageRow, 'status' | 'error' | 'finish_reason'>,
  text: string,
): string | undefined {
  if (status === 'waiting') return '[This answer waits for the approval of a tool call.]';
  if (status === 'interrupted') return '[This answer was interrupted before it was complete.]';
  if (status === 'failed') {
    const reason = error === null ? '' : (JSON.parse(error) as MessageError).message;
    const line = reason.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_REASON).toWellFormed();
    return `[This answer failed before it was complete${line === '' ? '' : `: ${line}`}]`;
  }
  if (text.trim() !== '') return undefined;
  return finish_reason === 'max_round_trips'
    ? '[This turn ended at its limit of tool calls.]'
    : '[This answer was empty.]';
}
