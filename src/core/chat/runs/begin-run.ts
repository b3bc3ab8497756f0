import type { ModelMessage } from 'ai';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { untrustedMark } from '../../memory/learned/describe-experience.ts';
import type { Recall } from '../recall/recall.ts';
import { newRunState, type RunState } from './run-state.ts';

export interface RunBeginning {
  /** The last of them is what the user asks for. */
  messages: ModelMessage[];
  ownerId: string;
  /** What the memory is asked about. */
  question: string;
  mode: SecurityMode;
  /** False where a stranger's text set the run going. */
  isTrusted: boolean;
  /** Whether a stranger's words may be in the messages. */
  heardStrangers: boolean;
  signal: AbortSignal;
}

/** A new run, told what of its owner's memory fits: never one that a stranger set going, who reads what it says. */
export async function beginRun(
  recall: Pick<Recall, 'forQuestion'>,
  { messages, ownerId, question, mode, isTrusted, heardStrangers, signal }: RunBeginning,
): Promise<RunState> {
  if (!isTrusted) return { ...newRunState(messages), heardStrangers: true };
  // Where nobody is asked, a stranger's words have no part.
  const { text, memory } = await recall.forQuestion(ownerId, question, {
    trustedOnly: mode === 'full',
    signal,
  });
  const recalled = memory.filter(({ kind }) => kind === 'experience').map(({ id }) => id);
  if (text === undefined) return { ...newRunState(messages), recalled, heardStrangers };
  return {
    ...newRunState(tellBefore(messages, text)),
    recalled,
    // Looked at now: what was told may be forgotten before the run ends.
    heardStrangers: heardStrangers || text.includes(untrustedMark),
  };
}

/** Within the last message: some vendors refuse two of one speaker. */
function tellBefore(messages: ModelMessage[], text: string): ModelMessage[] {
  const last = messages.at(-1);
  return last?.role === 'user' && typeof last.content === 'string'
    ? [...messages.slice(0, -1), { ...last, content: `${text}\n\n${last.content}` }]
    : [...messages, { role: 'user', content: text }];
}
