import { AsyncLocalStorage } from 'node:async_hooks';
import type { ModelFetch } from '../outbound/model-fetch.ts';
import { upToEnd } from './event-stream-end.ts';
import { loadSdk } from './load-sdk.ts';
import type { ModelRequest } from './model-request.ts';
import type { VendorModel } from './resolved-model.ts';
import { readParts, type StreamingModel } from './streams/answer-parts.ts';
import { plainDeltasOf } from './streams/plain-formats.ts';
import { SharedBody, withoutRepeated } from './streams/shared-body.ts';
import { wrappedModel } from './wrapped-model.ts';

interface StreamCall {
  /** Takes the body of a stream; answers what the package of the vendor reads in its place. */
  share?: (url: string, body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>;
  /** The whole response that came instead of a stream. */
  whole?: { body: string; status: number; headers: Headers };
}

/**
 * Handles servers and gateways that answer a streaming request with one JSON body: the body is parsed by the package of
 * the vendor as a non-streaming answer, without a second request.
 */
export class WholeAnswers {
  readonly #calls = new AsyncLocalStorage<StreamCall>();

  /** Wraps the fetch for the packages of the vendors. */
  fetch(base: ModelFetch): ModelFetch {
    return async (input, init) => {
      const call = this.#calls.getStore();
      if (call?.whole) {
        const { body, ...head } = call.whole;
        return new Response(body, head);
      }
      const response = await base(input, init);
      if (!call || !response.ok) return response;
      const { body, stream } = hasJsonType(response)
        ? await split(response)
        : { stream: response.body ?? undefined };
      const { status, headers } = response;
      if (body === undefined) {
        const url = input instanceof Request ? input.url : String(input);
        const share = call.share ?? ((_url, whole) => upToEnd(whole));
        return new Response(stream && share(url, stream), { status, headers });
      }
      call.whole = { body, status, headers };
      throw new AnsweredWhole('The vendor sent a whole answer instead of a stream');
    };
  }

  /** Wraps a model so that a whole answer is accepted as its stream, and a stream is read without the package where it can be. */
  accept(model: VendorModel): StreamingModel {
    const open = (options: ModelRequest, call: StreamCall) => this.#open(model, options, call);
    return {
      ...wrappedModel(model, { doStream: (options) => open(options, {}) }),
      streamParts: async function* (options) {
        const opened = Promise.withResolvers<SharedBody | undefined>();
        const answer = open(options, {
          share: (url, body) => {
            const deltas = plainDeltasOf(url, model);
            const shared = deltas && new SharedBody(body, deltas);
            opened.resolve(shared);
            return shared?.forPackage() ?? upToEnd(body);
          },
        });
        // Without a stream, or where the package fails before it has one.
        answer.then(() => opened.resolve(undefined), opened.reject);
        const shared = await opened.promise;
        try {
          if (shared) yield* shared.plainParts(options.abortSignal);
          const { stream } = await answer;
          yield* withoutRepeated(readParts(stream, options.abortSignal), shared?.repeated ?? 0);
        } finally {
          shared?.cancel().catch(() => undefined);
        }
      },
    };
  }

  async #open(model: VendorModel, options: ModelRequest, call: StreamCall) {
    const doStream = async () => this.#calls.run(call, async () => model.doStream(options));
    try {
      return await doStream();
    } catch (error) {
      if (!call.whole) throw error;
    }
    const { simulateStreamingMiddleware } = await loadSdk();
    const { wrapStream } = simulateStreamingMiddleware();
    const doGenerate = async () => this.#calls.run(call, async () => model.doGenerate(options));
    if (!wrapStream) throw new TypeError('The SDK cannot simulate a stream');
    return wrapStream({ doGenerate, doStream, params: options, model });
  }
}

class AnsweredWhole extends Error {}

const hasJsonType = ({ headers }: Response) => /\bjson\b/i.test(headers.get('content-type') ?? '');

/** Some send a stream with a JSON type, so the body counts as JSON only if it starts with an object. */
async function split(response: Response): Promise<{ body?: string; stream?: ReadableStream<Uint8Array> }> {
  if (!response.body) return { body: '' };
  const [preview, stream] = response.body.tee();
  const isObject = await startsWithObject(preview);
  return isObject ? { body: await new Response(stream).text() } : { stream };
}

async function startsWithObject(stream: ReadableStream<Uint8Array>): Promise<boolean> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const first = read.value.find((byte) => !blanks.has(byte));
      if (first !== undefined) return first === '{'.charCodeAt(0);
    }
    return false;
  } finally {
    // Resolves only once the other branch of the tee is read.
    reader.cancel().catch(() => undefined);
  }
}

const blanks = new Set(Buffer.from(' \t\r\n'));
