import type { ModelRequest } from '../model-request.ts';
import type { AnswerPart, VendorModel } from '../resolved-model.ts';
import { wrappedModel } from '../wrapped-model.ts';

type Delta = Extract<AnswerPart, { type: 'text-delta' | 'reasoning-delta' }>;

/**
 * A model for the SDK whose answer is relayed to it by its reader: the SDK builds the request and the messages of the
 * answer, and gets each run of pieces as one, because its streams cost many times as much for each part.
 */
export class RelayedModel {
  readonly model: VendorModel;
  /** The request, once the SDK has built it. */
  readonly request: Promise<ModelRequest>;
  #controller: ReadableStreamDefaultController<AnswerPart> | undefined;
  /** The pieces of the present run, and the first of them. */
  #run: { first: Delta; deltas: string[] } | undefined;

  constructor(model: VendorModel) {
    const { promise, resolve } = Promise.withResolvers<ModelRequest>();
    this.request = promise;
    this.model = wrappedModel(model, {
      doStream: async (options) => {
        const stream = new ReadableStream<AnswerPart>({
          start: (controller) => (this.#controller = controller),
        });
        resolve(options);
        return { stream };
      },
    });
  }

  add(part: AnswerPart): void {
    // The call that follows has the whole input.
    if (part.type === 'tool-input-delta') return;
    const isDelta = (part.type === 'text-delta' || part.type === 'reasoning-delta') && !part.providerMetadata;
    if (isDelta && this.#run?.first.type === part.type && this.#run.first.id === part.id) {
      this.#run.deltas.push(part.delta);
      return;
    }
    this.#endRun();
    if (isDelta) this.#run = { first: part, deltas: [part.delta] };
    else this.#controller?.enqueue(part);
  }

  end(): void {
    this.#endRun();
    this.#controller?.close();
  }

  #endRun(): void {
    if (this.#run) this.#controller?.enqueue({ ...this.#run.first, delta: this.#run.deltas.join('') });
    this.#run = undefined;
  }
}
