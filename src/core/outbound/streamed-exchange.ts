import { pipeline, Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { decoderStreams } from './decompress.ts';
import { OutboundError } from './outbound-error.ts';

export interface StreamedRequest {
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
}
export interface StreamedExchangeOptions {
  /** The maximum size of the decompressed response. */
  maxBytes: number;
  /** Breaks the exchange off. */
  signal?: AbortSignal | null | undefined;
  /** Called once, when nothing more comes. */
  onEnd: () => void;
}

type Controller = Dispatcher.DispatchController;
type Fields = Record<string, string | string[] | undefined>;

/** Responses that never have a body (Fetch standard, section 2.2.3). */
const withoutBody = [204, 205, 304];

/**
 * A request whose response comes as it arrives; follows no redirects. Calls `dispatch`, which the `fetch` of undici is
 * built on: that one sends even a text as a stream, in a packet of its own, and takes several times as long to hand on
 * what arrives.
 */
export class StreamedExchange implements Dispatcher.DispatchHandler {
  readonly #options: StreamedExchangeOptions;
  readonly #response = Promise.withResolvers<Response>();
  #controller: Controller | undefined;
  #body: Body | undefined;
  #isOver = false;

  constructor(options: StreamedExchangeOptions) {
    this.#options = options;
  }

  /** Resolves with the head; rejects with the error of the connection. The body fails with `terminated`, as that of `fetch`. */
  send(
    dispatcher: Dispatcher,
    { origin, pathname, search }: URL,
    request: StreamedRequest,
  ): Promise<Response> {
    this.#options.signal?.addEventListener('abort', this.#leave);
    dispatcher.dispatch({ ...request, origin, path: pathname + search }, this);
    return this.#response.promise;
  }

  /** Breaks the exchange off; the reason is what the response fails with, or its body. */
  abort(reason: unknown): void {
    if (this.#isOver) return;
    this.#fail(reason);
    // One that waits for a connection is refused when it begins.
    this.#controller?.abort(new Error('aborted', { cause: reason }));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('aborted'));
  }

  onResponseStart(controller: Controller, status: number, fields: Fields, statusText = ''): void {
    // Interim responses come before the response.
    if (status < 200) return;
    const headers = toHeaders(fields);
    const decoders = decoderStreams(headers.get('content-encoding') ?? '', this.#options.maxBytes);
    const abort = (reason: unknown) => this.abort(reason);
    if (!withoutBody.includes(status))
      this.#body =
        decoders.length > 0 ? codedBody(controller, abort, decoders) : plainBody(controller, abort);
    this.#response.resolve(new Response(this.#body?.stream ?? null, { status, headers, statusText }));
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    if (!this.#isOver) this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#end();
    this.#body?.end();
  }

  onResponseError(_: Controller, error: Error): void {
    if (!this.#isOver) this.#fail(this.#body ? new TypeError('terminated', { cause: error }) : error);
  }

  #fail(error: unknown): void {
    this.#end();
    this.#response.reject(error);
    this.#body?.fail(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#options.signal?.removeEventListener('abort', this.#leave);
    this.#options.onEnd();
  }

  readonly #leave = () => this.abort(this.#options.signal?.reason);
}

/** The body of a response while it arrives. */
interface Body {
  stream: ReadableStream<Uint8Array>;
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}
/** Where the pieces of a body come from. */
interface Source {
  pause(): void;
  resume(): void;
}

/** Bytes that may wait for the reader. */
const WAITING = new ByteLengthQueuingStrategy({ highWaterMark: 128 * 1024 });

function plainBody(source: Source, leave: (reason: unknown) => void): Body {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isLeft = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (own) => void (controller = own),
      pull: () => source.resume(),
      cancel: (reason) => {
        isLeft = true;
        leave(reason);
      },
    },
    WAITING,
  );
  return {
    stream,
    push: (chunk) => {
      // A parser that continues after a pause begins with an empty piece.
      if (chunk.length === 0 || isLeft) return;
      controller?.enqueue(chunk);
      if ((controller?.desiredSize ?? 0) <= 0) source.pause();
    },
    end: () => {
      if (!isLeft) controller?.close();
    },
    fail: (error) => {
      if (!isLeft) controller?.error(error);
    },
  };
}

function codedBody(
  connection: Source,
  leave: (reason: unknown) => void,
  decoders: readonly NodeJS.ReadWriteStream[],
): Body {
  const coded = new Readable({ read: () => connection.resume() });
  const decoded = pipeline([coded, ...decoders], (error) => {
    if (!error) return;
    const reason = error instanceof OutboundError ? error : new TypeError('terminated', { cause: error });
    body.fail(reason);
    leave(reason);
  }) as unknown as Readable;
  const body = plainBody({ pause: () => decoded.pause(), resume: () => decoded.resume() }, (reason) => {
    leave(reason);
    coded.destroy();
  });
  decoded.on('data', (chunk: Buffer) => body.push(chunk)).on('end', () => body.end());
  return {
    stream: body.stream,
    push: (chunk) => {
      if (!coded.push(chunk)) connection.pause();
    },
    end: () => void coded.push(null),
    fail: (error) => {
      body.fail(error);
      coded.destroy();
    },
  };
}

function toHeaders(fields: Fields): Headers {
  const headers = new Headers();
  for (const name in fields) for (const value of [fields[name] ?? []].flat()) headers.append(name, value);
  return headers;
}
