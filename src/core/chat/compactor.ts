import type { ModelMessage } from 'ai';
import type { PresetId } from '../../contract/chat.ts';
import type { Compaction } from '../../contract/conversations.ts';
import { AppError } from '../errors.ts';
import type { ConversationRow } from '../storage/rows/conversations.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { ConversationStore } from './conversation-store.ts';
import { fenceData } from '../text/fence-data.ts';
import type { ModelCalls } from '../providers/model-calls.ts';
import { type HistoryMessage, historyOf } from './history/history-of.ts';
import { presets } from './presets.ts';
import { type Prompt, type PromptMessage, toPrompt } from '../providers/prompt.ts';
import type { ResolvedModel } from '../providers/resolved-model.ts';
import { sizeOfMessages } from './runs/prompt-size.ts';
import { splitRun } from './runs/split-run.ts';
import {
  estimateMessages,
  estimateTokens,
  lastTokens,
  newestThatFit,
  promptBudget,
} from '../text/token-estimate.ts';

export interface CompactorDeps {
  database: Database;
  store: ConversationStore;
  calls: ModelCalls;
  runtime: Runtime;
}

/** What a model is told before the messages of a conversation. */
export interface ConversationHead {
  conversation: ConversationRow;
  /** What is known of its task. */
  context: string | undefined;
  /** The message to answer, if others may have come after it. */
  upTo?: string | undefined;
}

/** What a compaction that a person asked for came to. */
export interface Compacted {
  summary: string;
  compaction: Compaction;
}

/** What a model sums up, and how. */
interface SummaryInput {
  instructions: string;
  /** Names the text for the model. */
  title: string;
  text: string;
}

/** Makes what a model is asked fit into its window: a stored conversation, or the messages of a run under way. */
export class Compactor {
  readonly #deps: CompactorDeps;
  constructor(deps: CompactorDeps) {
    this.#deps = deps;
  }

  /** The conversation as far as it fits, without asking a model, and `added` after it. */
  async read(
    model: ResolvedModel,
    head: ConversationHead,
    added: readonly PromptMessage[],
  ): Promise<PromptMessage[]> {
    const before = this.#before(head);
    const messages = await this.#messages(head);
    const room = promptBudget(model) - systemTokens(head) - estimateMessages([...before, ...added]);
    // Without `added` the newest message is the one to answer.
    const kept = room > 0 || added.length === 0 ? newestThatFit(messages, room) : [];
    return [...opened(before, kept), ...added];
  }

  /** Whether the stored messages and `added` fit as they are. */
  async fits(
    model: ResolvedModel,
    head: ConversationHead,
    added: readonly PromptMessage[],
  ): Promise<boolean> {
    const messages = [...this.#before(head), ...(await this.#messages(head)), ...added];
    return estimateMessages(messages) <= promptBudget(model) - systemTokens(head);
  }

  /** The stored messages, the older ones summed up by the model itself where it has to be. */
  async fit(
    model: ResolvedModel,
    head: ConversationHead,
    signal: AbortSignal,
  ): Promise<{ prompt: Prompt; compaction: Compaction | undefined }> {
    const messages = await this.#messages(head);
    const before = this.#before(head);
    const room = promptBudget(model) - systemTokens(head);
    const whole = [...before, ...messages];
    const kept = newestThatFit(messages, room / 2);
    const old = messages.slice(0, -kept.length);
    if (estimateMessages(whole) <= room || old.length === 0)
      return { prompt: promptOf(head, whole), compaction: undefined };
    const summary = await this.#sumUp(model, head.conversation, { old, kept, room }, signal);
    const fitting =
      summary === undefined
        ? opened(before, newestThatFit(messages, room - estimateMessages(before)))
        : opened(this.#before({ ...head, conversation: { ...head.conversation, summary } }), kept);
    return {
      prompt: promptOf(head, fitting),
      compaction: {
        originalCount: whole.length,
        compactedCount: fitting.length,
        tokensBefore: systemTokens(head) + estimateMessages(whole),
        tokensAfter: systemTokens(head) + estimateMessages(fitting),
      },
    };
  }

  /**
   * Lets the model sum up everything that it would get again, whether or not it fits, and stores the summary. Throws where
   * there is nothing to sum up or the model fails: then nothing has changed.
   */
  async compact(
    model: ResolvedModel,
    head: ConversationHead,
    { keep, signal }: { keep?: string | undefined; signal: AbortSignal },
  ): Promise<Compacted> {
    const { conversation } = head;
    const messages = await this.#messages(head);
    const last = messages.at(-1);
    if (!last) throw new AppError('wrong_state', nothingNew(conversation));
    const before = this.#before(head);
    const room = promptBudget(model) - systemTokens(head);
    const input = inputOf(conversation, messages, { room, keep });
    const summary = await this.#ask(model, input, signal);
    if (summary === undefined || estimateTokens(summary) > room / 2)
      throw new AppError(
        'unavailable',
        'The model returned no usable summary. Nothing was changed; try again.',
      );
    await this.#store(conversation, summary, Math.max(...messages.map(({ seq }) => seq)));
    const after = this.#before({ ...head, conversation: { ...conversation, summary } });
    const tokens = systemTokens(head);
    return {
      summary,
      compaction: {
        originalCount: before.length + messages.length,
        compactedCount: after.length,
        tokensBefore: tokens + estimateMessages([...before, ...messages]),
        tokensAfter: tokens + estimateMessages(after),
      },
    };
  }

  /**
   * The messages of a run that fit beside `otherTokens`; the same ones where all of them do. `request` is the position
   * of the message that the run answers, which is kept as it is.
   */
  async fitRun(
    model: ResolvedModel,
    { messages, request = 0 }: { messages: ModelMessage[]; request?: number | undefined },
    otherTokens: number,
    signal: AbortSignal,
  ): Promise<{ messages: ModelMessage[]; request: number }> {
    const room = promptBudget(model) - otherTokens;
    if (sizeOfMessages(messages) <= room) return { messages, request };
    const { head, old, last } = splitRun(messages, room, request);
    if (old.length === 0) return { messages: [...head, ...last], request };
    const done = old.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`).join('\n');
    const summary = await this.#summarize(
      model,
      {
        instructions: runInstructions,
        title: 'What came before in a work with tools',
        text: lastTokens(done, Math.max(500, room / 2)),
      },
      signal,
    );
    const text =
      summary === undefined
        ? 'Earlier steps were left out because they no longer fit.'
        : lastTokens(summary, room / 4);
    const content = fenceData(this.#deps.runtime, 'A summary of your earlier steps', text);
    return { messages: [...head, { role: 'user', content }, ...last], request: 0 };
  }

  /** Undefined when it did not work: then the oldest messages are left out, which is better than no answer. */
  async #sumUp(
    model: ResolvedModel,
    conversation: ConversationRow,
    { old, kept, room }: { old: readonly HistoryMessage[]; kept: readonly HistoryMessage[]; room: number },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const input = inputOf(conversation, old, { room });
    const summary = await this.#summarize(model, input, signal);
    if (summary === undefined || estimateTokens(summary) > room / 4) return undefined;
    // Answers may have been stored after a later message: nothing that is kept may count as summarized.
    const upTo = Math.min(
      Math.max(0, ...old.map(({ seq }) => seq)),
      Math.min(...kept.map(({ seq }) => seq)) - 1,
    );
    try {
      await this.#store(conversation, summary, upTo);
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error;
      return undefined;
    }
    return summary;
  }

  #store({ id }: ConversationRow, summary: string, summary_seq: number): Promise<void> {
    const { database, store } = this.#deps;
    return database.write(({ db }) => store.change(db, id, { summary, summary_seq }));
  }

  /** Undefined when the model had nothing to say. */
  async #ask(
    model: ResolvedModel,
    { instructions, title, text }: SummaryInput,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { calls, runtime } = this.#deps;
    const content = fenceData(runtime, title, text);
    const prompt = { instructions, turns: [{ role: 'user' as const, content }] };
    const answer = await calls.ask(model, prompt, { signal });
    return answer.content.trim() || undefined;
  }

  /** Undefined too when the model failed: an answer without the beginning is better than none. */
  async #summarize(
    model: ResolvedModel,
    input: SummaryInput,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      return await this.#ask(model, input, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error;
      return undefined;
    }
  }

  async #messages({ conversation: { id, summary_seq }, upTo }: ConversationHead): Promise<HistoryMessage[]> {
    return historyOf(await this.#deps.store.messages(id, summary_seq), upTo);
  }

  #before({ conversation: { summary }, context }: ConversationHead): PromptMessage[] {
    const texts = [
      context,
      summary === null
        ? undefined
        : fenceData(this.#deps.runtime, 'A summary of the conversation so far', summary),
    ];
    return texts.flatMap((content) => (content === undefined ? [] : [{ role: 'user' as const, content }]));
  }
}

/** What of a conversation is summed up, after its earlier summary; of too much, the end. */
function inputOf(
  { summary }: ConversationRow,
  messages: readonly HistoryMessage[],
  { room, keep }: { room: number; keep?: string | undefined },
): SummaryInput {
  const earlier = summary === null ? '' : `Summary of what came before:\n${summary}\n\n`;
  const said = messages.map(({ role, content }) => `${role}: ${content}`).join('\n\n');
  return {
    instructions: keep
      ? `${conversationInstructions}\nThe user asks you to keep this above all: ${keep}`
      : conversationInstructions,
    title: 'A conversation',
    text: earlier + lastTokens(said, room - estimateTokens(earlier)),
  };
}

const nothingNew = ({ summary }: ConversationRow): string =>
  summary === null
    ? 'There is nothing to compact: the conversation has no messages'
    : 'There is nothing to compact: no messages came after the last summary';

/** The tokens of what is left of a conversation that was summed up whole. */
export const summaryTokens = (presetId: string, summary: string): number =>
  estimateTokens(presets[presetId as PresetId]) + estimateTokens(summary);

const presetOf = ({ conversation }: ConversationHead): string => presets[conversation.preset_id as PresetId];
const systemTokens = (head: ConversationHead): number => estimateTokens(presetOf(head));
const promptOf = (head: ConversationHead, messages: readonly PromptMessage[]): Prompt =>
  toPrompt([presetOf(head)], messages);

/** A conversation begins with the user: some vendors refuse one that begins with an answer. */
const opened = (before: readonly PromptMessage[], kept: readonly PromptMessage[]): PromptMessage[] =>
  before.length > 0 || kept[0]?.role !== 'assistant'
    ? [...before, ...kept]
    : [{ role: 'user', content: 'Earlier messages were left out because they no longer fit.' }, ...kept];

const conversationInstructions = `Sum up the conversation that you are given, so that it can go on from the summary alone.
Keep decisions, facts, names, figures, file names, code that is still needed, what tools found out and changed, open questions and what the user asked for. Leave out greetings and what was overtaken.
Write at most 400 words, in the language of the conversation, and nothing but the summary.`;
const runInstructions = `Sum up the steps of a work that you are given, so that it can go on from the summary alone.
Keep what was asked for, what was found out, file names, commands and their results, what was changed, what failed, and what is still to be done.
Write at most 400 words and nothing but the summary.`;
