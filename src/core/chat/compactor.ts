import type { ChatMessage, PresetId } from '../../contract/chat.ts';
import type { Compaction } from '../../contract/conversations.ts';
import { AppError } from '../errors.ts';
import type { ConversationRow } from '../storage/chat-rows.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { ConversationStore } from './conversation-store.ts';
import { fenceData } from '../text/fence-data.ts';
import type { ModelCalls } from '../providers/model-calls.ts';
import { presets } from './presets.ts';
import { type Prompt, toPrompt } from '../providers/prompt.ts';
import type { ResolvedModel } from '../providers/resolved-model.ts';
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
type StoredMessage = ChatMessage & { seq: number };

/** What a model is told before the messages of a conversation. */
export interface ConversationHead {
  conversation: ConversationRow;
  /** What is known of its task. */
  context: string | undefined;
}

/** Makes the prompt of a conversation, and sums up its older messages when they no longer fit. */
export class Compactor {
  readonly #deps: CompactorDeps;
  constructor(deps: CompactorDeps) {
    this.#deps = deps;
  }

  /** The conversation as far as it fits, without asking a model, and `added` after it. */
  async read(
    model: ResolvedModel,
    head: ConversationHead,
    added: readonly ChatMessage[],
  ): Promise<ChatMessage[]> {
    const before = this.#before(head);
    const messages = await this.#messages(head.conversation);
    const room = promptBudget(model) - systemTokens(head) - estimateMessages([...before, ...added]);
    return [...before, ...(room > 0 ? newestThatFit(messages, room) : []), ...added];
  }

  /** The stored messages, the older ones summed up by the model itself where it has to be. */
  async fit(
    model: ResolvedModel,
    head: ConversationHead,
    signal: AbortSignal,
  ): Promise<{ prompt: Prompt; compaction: Compaction | undefined }> {
    const messages = await this.#messages(head.conversation);
    const before = this.#before(head);
    const room = promptBudget(model) - systemTokens(head);
    const whole = [...before, ...messages];
    const kept = newestThatFit(messages, room / 2);
    const old = messages.slice(0, -kept.length);
    if (estimateMessages(whole) <= room || old.length === 0)
      return { prompt: promptOf(head, whole), compaction: undefined };
    const summary = await this.#sumUp(model, head.conversation, old, room, signal);
    const fitting =
      summary === undefined
        ? [...before, ...newestThatFit(messages, room - estimateMessages(before))]
        : [...this.#before({ ...head, conversation: { ...head.conversation, summary } }), ...kept];
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

  /** Undefined when it did not work: then the oldest messages are left out, which is better than no answer. */
  async #sumUp(
    model: ResolvedModel,
    conversation: ConversationRow,
    old: readonly StoredMessage[],
    room: number,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { database, store, calls, runtime } = this.#deps;
    const earlier =
      conversation.summary === null ? '' : `Summary of what came before:\n${conversation.summary}\n\n`;
    const said = old.map(({ role, content }) => `${role}: ${content}`).join('\n\n');
    const whole = earlier + lastTokens(said, room - estimateTokens(earlier));
    const text = fenceData(runtime, 'A conversation', whole);
    const prompt = { instructions: sumUpInstructions, turns: [{ role: 'user' as const, content: text }] };
    try {
      const { content } = await calls.ask(model, prompt, { signal });
      const summary = content.trim();
      if (summary === '' || estimateTokens(summary) > room / 4) return undefined;
      const summary_seq = old.at(-1)?.seq ?? 0;
      await database.write(({ db }) => store.change(db, conversation.id, { summary, summary_seq }));
      return summary;
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error;
      return undefined;
    }
  }

  async #messages({ id, summary_seq }: ConversationRow): Promise<StoredMessage[]> {
    const rows = await this.#deps.store.messages(id, summary_seq);
    return rows.map(({ seq, role, content }) => ({ seq, role: role as ChatMessage['role'], content }));
  }

  #before({ conversation: { summary }, context }: ConversationHead): ChatMessage[] {
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
const promptOf = (head: ConversationHead, messages: readonly ChatMessage[]): Prompt =>
  toPrompt([presetOf(head)], messages);

const sumUpInstructions = `Sum up the conversation that you are given, so that it can go on from the summary alone.
Keep decisions, facts, names, figures, file names, code that is still needed, open questions and what the user asked for. Leave out greetings and what was overtaken.
Write at most 400 words, in the language of the conversation, and nothing but the summary.`;
