import type { LiveMessage, LiveTopic } from './live.ts';

/** The part of a WebSocket that the client needs; those of browsers and of `ws` both fit. */
export interface LiveSocket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void;
}

/** The live feed of the daemon over a socket that was just created. Without topics, it receives every message. */
export class LiveClient {
  readonly #socket: LiveSocket;
  readonly #onMessage: (message: LiveMessage) => void;
  /** Requests in order; each gets one answer. */
  #requests: { topics: readonly LiveTopic[]; settle: PromiseWithResolvers<void> }[] = [];
  #isReady = false;
  #isClosed = false;

  /** Calls `onMessage` for each message; ignore types that you do not know, a newer daemon may have more. */
  constructor(socket: LiveSocket, onMessage: (message: LiveMessage) => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    socket.addEventListener('close', () => this.#close());
  }

  /**
   * Replaces the topics. Resolves once the daemon sends these only: what is read after that misses no change. Rejects if
   * the daemon refuses them, or the connection closes before.
   */
  watch(topics: readonly LiveTopic[]): Promise<void> {
    const request = { topics, settle: Promise.withResolvers<void>() };
    if (this.#isClosed) request.settle.reject(closed());
    else {
      this.#requests.push(request);
      if (this.#isReady) this.#send(topics);
    }
    return request.settle.promise;
  }

  #send(topics: readonly LiveTopic[]): void {
    this.#socket.send(JSON.stringify({ watch: topics }));
  }

  #receive(text: string): void {
    const message = parseMessage(text);
    // Nothing that follows can be trusted to be complete.
    if (!message) return this.#socket.close();
    if (message.type === 'hello') {
      this.#isReady = true;
      for (const { topics } of this.#requests) this.#send(topics);
    }
    if (message.type === 'watching') this.#requests.shift()?.settle.resolve();
    if (message.type === 'error') this.#requests.shift()?.settle.reject(new Error(message.message));
    this.#onMessage(message);
  }

  #close(): void {
    this.#isClosed = true;
    for (const { settle } of this.#requests.splice(0)) settle.reject(closed());
  }
}

function parseMessage(text: string): LiveMessage | undefined {
  try {
    const message = JSON.parse(text) as LiveMessage | null;
    return typeof message === 'object' && typeof message?.type === 'string' ? message : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const closed = () => new Error('The live feed is closed');
