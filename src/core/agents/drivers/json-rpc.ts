/** An error of a JSON-RPC request: received for one of ours, or thrown to answer one of the peer's. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The connection closed before the peer answered. */
export class JsonRpcClosed extends Error {
  override readonly name = 'JsonRpcClosed';
}

/** Answers a request whose method is not supported. */
export const methodNotFound = (method: string): JsonRpcError =>
  new JsonRpcError(-32601, `Method not found: ${method}`);

export type JsonRpcParams = Record<string, unknown>;

export interface JsonRpcOptions {
  /** Writes a message as one line of JSON. */
  send: (message: object) => void;
  /** Whether messages carry `"jsonrpc":"2.0"`; both forms are read. */
  hasVersion: boolean;
  /** Answers a request with what it resolves to; a rejection with `JsonRpcError` becomes its error. */
  onRequest: (method: string, params: JsonRpcParams) => Promise<unknown>;
  onNotification: (method: string, params: JsonRpcParams) => void;
}

interface PendingCall {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** Whether a value is an object other than an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Speaks JSON-RPC in lines with one peer. Lines that are no message are ignored; parameters that are no object read as empty. */
export class JsonRpcPeer {
  readonly #options: JsonRpcOptions;
  /** By their ids as texts: some peers answer `"1"` to a request `1`. */
  readonly #pending = new Map<string, PendingCall>();
  #nextId = 1;
  #isClosed = false;

  constructor(options: JsonRpcOptions) {
    this.#options = options;
  }

  /** Takes a line without its line break. */
  receive(line: string): void {
    const message = parseObject(line);
    if (!message || this.#isClosed) return;
    const { id, method } = message;
    if (typeof method === 'string') {
      const params = isObject(message['params']) ? message['params'] : {};
      if (typeof id === 'string' || typeof id === 'number') void this.#answer(id, method, params);
      else this.#options.onNotification(method, params);
      return;
    }
    const key = String(id);
    const call = this.#pending.get(key);
    if (!call) return;
    this.#pending.delete(key);
    if ('error' in message && message['error'] !== null) call.reject(parseError(message['error']));
    else call.resolve(message['result']);
  }

  /** Rejects with `JsonRpcError` where the peer answers so, and with `JsonRpcClosed` where it cannot answer any more. */
  call(method: string, params: object, id: number | string = this.#nextId++): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new JsonRpcClosed(`closed before ${method}`));
      this.#pending.set(String(id), { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params?: object): void {
    this.#send({ method, ...(params && { params }) });
  }

  /** Rejects all open calls; nothing is sent or received afterwards. */
  close(): void {
    this.#isClosed = true;
    const open = [...this.#pending.values()];
    this.#pending.clear();
    for (const call of open) call.reject(new JsonRpcClosed('closed before the answer'));
  }

  async #answer(id: string | number, method: string, params: JsonRpcParams): Promise<void> {
    let answer: { result: unknown } | { error: object };
    try {
      answer = { result: (await this.#options.onRequest(method, params)) ?? null };
    } catch (error) {
      // Any other error is a bug whose text the peer must not see.
      const { code, message, data } =
        error instanceof JsonRpcError ? error : new JsonRpcError(-32603, 'Internal error');
      answer = { error: { code, message, ...(data !== undefined && { data }) } };
    }
    this.#send({ id, ...answer });
  }

  #send(message: object): void {
    if (this.#isClosed) return;
    this.#options.send(this.#options.hasVersion ? { jsonrpc: '2.0', ...message } : message);
  }
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A code that is a number, or written as one. */
const codeOf = (value: unknown): number | undefined =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,9}$/.test(value))
    ? Number(value)
    : undefined;

function parseError(value: unknown): JsonRpcError {
  const { code, message, data } = isObject(value) ? value : {};
  return new JsonRpcError(
    codeOf(code) ?? -32603,
    typeof message === 'string' ? message : 'the peer reported an error without a text',
    data,
  );
}
