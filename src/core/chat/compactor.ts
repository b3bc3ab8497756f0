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
    const { database, store } = this.#deps;
    const earlier =
      conversation.summary === null ? '' : `Summary of what came before:\n${conversation.summary}\n\n`;
    const said = old.map(({ role, content }) => `${role}: ${content}`).join('\n\n');
    const text = earlier + lastTokens(said, room - estimateTokens(earlier));
    const input = { instructions: conversationInstructions, title: 'A conversation', text };
    const summary = await this.#summarize(model, input, signal);
    if (summary === undefined || estimateTokens(summary) > room / 4) return undefined;
    // Answers may have been stored after a later message: nothing that is kept may count as summarized.
    const summary_seq = Math.min(
      Math.max(0, ...old.map(({ seq }) => seq)),
      Math.min(...kept.map(({ seq }) => seq)) - 1,
    );
    try {
      await database.write(({ db }) => store.change(db, conversation.id, { summary, summary_seq }));
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error;
      return undefined;
    }
    return summary;
  }

  /** Undefined when the model failed or had nothing to say: an answer without the beginning is better than none. */
  async #summarize(
    model: ResolvedModel,
    { instructions, title, text }: SummaryInput,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { calls, runtime } = this.#deps;
    const content = fenceData(runtime, title, text);
    try {
      const prompt = { instructions, turns: [{ role: 'user' as const, content }] };
      const answer = await calls.ask(model, prompt, { signal });
      return answer.content.trim() || undefined;
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
