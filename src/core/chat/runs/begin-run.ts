import type { ModelMessage } from 'ai';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { hasUntrustedMark } from '../../memory/learned/describe-experience.ts';
import type { MemoryScope } from '../../memory/memory-scope.ts';
import type { Recall } from '../recall/recall.ts';
import { newRunState, type RunState } from './run-state.ts';

export interface RunBeginning {
  /** The last one is the request of the user. */
  messages: ModelMessage[];
  ownerId: string;
  /** The query for the memory. */
  question: string;
  mode: SecurityMode;
  /** False where untrusted text started the run. */
  isTrusted: boolean;
  /** Whether the messages may contain untrusted text. */
  isTainted: boolean;
  /** The part of the memory that it uses. */
  scope: MemoryScope;
  signal: AbortSignal;
}

/**
 * Creates the state of a run, with what the owner's memory recalls for it. A run that untrusted text started recalls
 * nothing: the author of that text may read its answer.
 */
export async function beginRun(
  recall: Pick<Recall, 'forQuestion'>,
  { messages, ownerId, question, mode, isTrusted, isTainted, scope, signal }: RunBeginning,
): Promise<RunState> {
  if (!isTrusted) return { ...newRunState(messages), isTainted: true };
  // No person approves calls in this mode, so untrusted memories are left out.
  const { text, memory } = await recall.forQuestion(ownerId, question, {
    trustedOnly: mode === 'full',
    scope,
    signal,
  });
  const recalled = memory.filter(({ kind }) => kind === 'experience').map(({ id }) => id);
  if (text === undefined) return { ...newRunState(messages), recalled, isTainted };
  return {
    ...newRunState(withContext(messages, text)),
    recalled,
    // Decided now: compaction may drop the recalled text before the run finishes.
    isTainted: isTainted || hasUntrustedMark(text),
  };
}

/** Adds the text to the last message: some vendors reject two messages in a row by the same role. */
function withContext(messages: ModelMessage[], text: string): ModelMessage[] {
  const last = messages.at(-1);
  return last?.role === 'user' && typeof last.content === 'string'
    ? [...messages.slice(0, -1), { ...last, content: `${text}\n\n${last.content}` }]
    : [...messages, { role: 'user', content: text }];
}
