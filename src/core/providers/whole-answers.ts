import { AsyncLocalStorage } from 'node:async_hooks';
import type { ModelFetch } from '../outbound/model-fetch.ts';
import { loadSdk } from './load-sdk.ts';
import type { VendorModel } from './resolved-model.ts';
import { wrappedModel } from './wrapped-model.ts';

interface StreamCall {
  /** What was answered in the place of a stream. */
  whole?: { body: string; status: number; headers: Headers };
}

/**
 * Some servers and gateways answer a request for a stream with one JSON body. It is read as the whole answer that it is,
 * by the package of its vendor, and nobody is asked twice.
 */
export class WholeAnswers {
  readonly #calls = new AsyncLocalStorage<StreamCall>();

  /** The fetch that the package of the vendor gets. */
  fetch(usual: ModelFetch): ModelFetch {
    return async (input, init) => {
      const call = this.#calls.getStore();
      if (call?.whole) {
        const { body, ...head } = call.whole;
        return new Response(body, head);
      }
      const response = await usual(input, init);
      if (!call || !response.ok || !isSaidToBeJson(response)) return response;
      const { body, stream } = await split(response);
      const { status, headers } = response;
      if (body === undefined) return new Response(stream, { status, headers });
      call.whole = { body, status, headers };
      throw new AnsweredWhole('A whole answer came instead of a stream');
    };
  }

  /** The model, whose streams may turn out to be whole. */
  accept(model: VendorModel): VendorModel {
    return wrappedModel(model, {
      doStream: async (options) => {
        const call: StreamCall = {};
        const doStream = async () => this.#calls.run(call, async () => model.doStream(options));
        try {
          return await doStream();
        } catch (error) {
          if (!call.whole) throw error;
        }
        const { simulateStreamingMiddleware } = await loadSdk();
        const { wrapStream } = simulateStreamingMiddleware();
        const doGenerate = async () => this.#calls.run(call, async () => model.doGenerate(options));
        if (!wrapStream) throw new TypeError('The SDK makes no stream of a whole answer');
        return wrapStream({ doGenerate, doStream, params: options, model });
      },
    });
  }
}

class AnsweredWhole extends Error {}

const isSaidToBeJson = ({ headers }: Response) => /\bjson\b/i.test(headers.get('content-type') ?? '');

/** Some send a stream under the type of JSON: what begins like an object is one. */
async function split(response: Response): Promise<{ body?: string; stream?: ReadableStream }> {
  if (!response.body) return { body: '' };
  const [ahead, stream] = response.body.tee();
  const isObject = await beginsLikeObject(ahead);
  return isObject ? { body: await new Response(stream).text() } : { stream };
}

async function beginsLikeObject(stream: ReadableStream<Uint8Array>): Promise<boolean> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const first = read.value.find((byte) => !blanks.has(byte));
      if (first !== undefined) return first === '{'.charCodeAt(0);
    }
    return false;
  } finally {
    // It resolves no sooner than the other half is read.
    reader.cancel().catch(() => undefined);
  }
}

const blanks = new Set(Buffer.from(' \t\r\n'));
