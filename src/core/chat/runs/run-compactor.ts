import type { ModelMessage } from 'ai';
import { AppError } from '../../errors.ts';
import type { Runtime } from '../../runtime.ts';
import { fenceData } from '../../text/fence-data.ts';
import type { ModelCalls } from '../../providers/model-calls.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import { lastTokens, promptBudget } from '../../text/token-estimate.ts';
import { sizeOfMessages } from './prompt-size.ts';

/** How many of the last messages keep their results whole, as long as there is room. */
const KEPT_MESSAGES = [6, 4, 2];
/** A result that is left out costs about this much itself. */
const SHORT_RESULT = 300;

export interface RunCompactorDeps {
  calls: ModelCalls;
  runtime: Runtime;
}

/** Makes room in the messages of a run: old results of tools go first, then the older steps become a summary. */
export class RunCompactor {
  readonly #deps: RunCompactorDeps;
  constructor(deps: RunCompactorDeps) {
    this.#deps = deps;
  }

  /** The messages that fit beside `otherTokens` into the model's window; the same ones where all of them do. */
  async fit(
    model: ResolvedModel,
    messages: ModelMessage[],
    otherTokens: number,
    signal: AbortSignal,
  ): Promise<ModelMessage[]> {
    const room = promptBudget(model) - otherTokens;
    if (sizeOfMessages(messages) <= room) return messages;
    let short = messages;
    for (const kept of KEPT_MESSAGES) {
      short = withoutOldResults(messages, kept);
      if (sizeOfMessages(short) <= room) return short;
    }
    const cut = cutAt(short);
    const [head, old, kept] = [short.slice(0, 1), short.slice(1, cut), short.slice(cut)];
    const last = withResultsOf(kept, (text) => lastTokens(text, Math.max(SHORT_RESULT, room / 4)));
    if (old.length === 0) return [...head, ...last];
    const summary = await this.#sumUp(model, old, room, signal);
    return [...head, { role: 'user', content: summary }, ...last];
  }

  async #sumUp(
    model: ResolvedModel,
    old: ModelMessage[],
    room: number,
    signal: AbortSignal,
  ): Promise<string> {
    const { calls, runtime } = this.#deps;
    const said = lastTokens(
      old.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`).join('\n'),
      Math.max(500, room / 2),
    );
    const text = fenceData(runtime, 'The earlier steps of a work with tools', said);
    let summary = 'Earlier steps were left out because they no longer fit.';
    try {
      const prompt = { instructions: sumUpInstructions, turns: [{ role: 'user' as const, content: text }] };
      const { content } = await calls.ask(model, prompt, { signal });
      if (content.trim() !== '') summary = lastTokens(content.trim(), room / 4);
    } catch (error) {
      // A run without its beginning is better than none.
      if (signal.aborted || !(error instanceof AppError)) throw error;
    }
    return fenceData(runtime, 'A summary of your earlier steps', summary);
  }
}

/** All results but those of the last messages become a note that they are left out. */
const withoutOldResults = (messages: ModelMessage[], kept: number): ModelMessage[] => [
  ...withResultsOf(messages.slice(0, -kept), (text) =>
    text.length > SHORT_RESULT
      ? `[${text.length} characters were left out to make room; call the tool again if you need them]`
      : text,
  ),
  ...messages.slice(-kept),
];

const withResultsOf = (messages: ModelMessage[], change: (text: string) => string): ModelMessage[] =>
  messages.map((message) =>
    message.role !== 'tool'
      ? message
      : {
          ...message,
          content: message.content.map((part) =>
            part.type === 'tool-result' && part.output.type === 'text'
              ? { ...part, output: { type: 'text' as const, value: change(part.output.value) } }
              : part,
          ),
        },
  );

/** Where the kept part begins: with what the model said, so that no result stands without its call. */
function cutAt(messages: ModelMessage[]): number {
  for (let at = messages.length - 1; at > 0; at--) if (messages[at]?.role === 'assistant') return at;
  return messages.length;
}

const sumUpInstructions = `Sum up the steps of a work that you are given, so that it can go on from the summary alone.
Keep what was asked for, what was found out, file names, commands and their results, what was changed, what failed, and what is still to be done.
Write at most 400 words and nothing but the summary.`;
