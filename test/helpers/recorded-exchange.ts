import type { SendWithTools, ToolExchange } from '../../src/contract/conversations.ts';
import type { RunEvent } from '../../src/contract/run-events.ts';
import type { ModelOptions } from '../../src/core/providers/compose-providers.ts';
import { allOf } from './all-of.ts';
import { isChat, lastAnswerFor, typeOf } from './recordings.ts';
import { type ReplayedDaemon, type ReplayStep, startReplayedDaemon } from './replayed-daemon.ts';
import type { RecordedCase } from './replay-server.ts';

/** Lets routes of whole daemons be asked so that a recording is what the vendor answers. */
export class RecordedExchange implements AsyncDisposable {
  readonly #daemons: { chat: ReplayedDaemon; others: ReplayedDaemon };
  private constructor(chat: ReplayedDaemon, others: ReplayedDaemon) {
    this.#daemons = { chat, others };
  }

  /** With other limits of the models, where they are not the usual ones. */
  static async start(limits: Omit<ModelOptions, 'fetch'> = {}): Promise<RecordedExchange> {
    const models = { retryMs: 1, ...limits };
    const [chat, others] = await Promise.all([
      startReplayedDaemon({ isChat: true, models }),
      startReplayedDaemon({ isChat: false, models }),
    ]);
    return new RecordedExchange(chat, others);
  }

  daemonOf(recording: Pick<RecordedCase, 'api'>): ReplayedDaemon {
    return isChat(recording) ? this.#daemons.chat : this.#daemons.others;
  }

  /** Forgets that the provider failed with an earlier recording. */
  closeBreaker(recording: RecordedCase): Promise<unknown> {
    return this.daemonOf(recording).closeBreaker(typeOf(recording));
  }

  async complete(recording: RecordedCase, options: Partial<ReplayStep> = {}) {
    const daemon = this.daemonOf(recording);
    const body = await this.#completion(recording, options);
    const { message, usage, finishReason } = await daemon.client.chat.createCompletion({ body });
    return { text: message.content, usage, finishReason };
  }

  async completeStreamed(recording: RecordedCase, options: Partial<ReplayStep> = {}) {
    const daemon = this.daemonOf(recording);
    const body = await this.#completion(recording, options);
    return allOf(daemon.client.chat.createCompletionStream({ body }));
  }

  async withTools(recording: RecordedCase, ...steps: ReplayStep[]): Promise<ToolExchange> {
    const daemon = this.daemonOf(recording);
    return daemon.client.conversations.sendMessageWithTools(await this.#message(recording, steps));
  }

  async withToolsStreamed(recording: RecordedCase, ...steps: ReplayStep[]): Promise<RunEvent[]> {
    const daemon = this.daemonOf(recording);
    const message = await this.#message(recording, steps);
    return allOf(daemon.client.conversations.sendMessageWithToolsStream(message));
  }

  async agentic(recording: RecordedCase, ...steps: ReplayStep[]): Promise<RunEvent[]> {
    const daemon = this.daemonOf(recording);
    const message = await this.#message(recording, steps);
    return allOf(daemon.client.conversations.sendAgenticMessageStream(message));
  }

  async #completion(recording: RecordedCase, options: Partial<ReplayStep>) {
    const model = await this.daemonOf(recording).play({ case: recording.id, ...options });
    return { messages: [{ role: 'user' as const, content: 'hi' }], provider: typeOf(recording), model };
  }

  /** The recording, and then an answer without calls, unless steps are given. */
  async #message(recording: RecordedCase, steps: ReplayStep[]) {
    const daemon = this.daemonOf(recording);
    const usual = [{ case: recording.id }, { case: lastAnswerFor(recording).id }];
    const model = await daemon.play(...(steps.length > 0 ? steps : usual));
    const { conversation } = await daemon.client.conversations.create({ body: {} });
    const body = { content: 'hi', provider: typeOf(recording), model } satisfies Partial<SendWithTools>;
    return { params: { id: conversation.id }, body };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemons.chat[Symbol.asyncDispose]();
    await this.#daemons.others[Symbol.asyncDispose]();
  }
}

/** What a run of tools said and called in one step. */
export const readStep = (events: readonly RunEvent[], wanted = 1) => {
  let step = 0;
  let text = '';
  const calls: { id: string; name: string; arguments: unknown }[] = [];
  const results = new Map<string, string>();
  let end: Extract<RunEvent, { type: 'step:complete' }>['data'] | undefined;
  for (const { type, data } of events) {
    if (type === 'step:start') step = data.step;
    if (step !== wanted) continue;
    if (type === 'text:delta') text += data.delta;
    if (type === 'tool:call') calls.push({ id: data.toolCallId, name: data.name, arguments: data.arguments });
    if (type === 'tool:result') results.set(data.toolCallId, data.result.content);
    if (type === 'step:complete') end = data;
  }
  return { text, calls, results, end };
};

/** To be compared as a whole: what has more than it should is not what was said. */
export const namesAndArguments = (calls: readonly { name: string; arguments: unknown }[]) =>
  calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
