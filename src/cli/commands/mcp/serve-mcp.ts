import type { JsonRpcMessage } from '../../../contract/mcp.ts';
import { ApiError } from '../../../contract/client.ts';
import type { Connection } from '../../connection/connection.ts';
import { formatError } from '../../errors/report-error.ts';
import type { Cli } from '../../program/cli.ts';
import { readMessages } from './read-messages.ts';
import { headersFor } from './request-headers.ts';

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;
const INTERNAL_ERROR = -32_603;

/** `svc mcp`: passes the messages of a client on stdin to the daemon, and its answers to stdout, until stdin ends. */
export async function serveMcp(cli: Cli): Promise<void> {
  const { output } = cli;
  if (process.stdin.isTTY === true)
    output.note('Waiting for a client of the Model Context Protocol. Add svc to one: see svc mcp --help');
  const bridge = new McpBridge(cli, cli.connect());
  for await (const message of readMessages(process.stdin)) {
    if (output.closed.aborted) break;
    if (message) void bridge.take(message);
    else bridge.refuse(PARSE_ERROR, 'The line is not a JSON-RPC message of at most 4 MiB');
  }
  bridge.stop();
}

/** Each message is a request of its own to the daemon, so that a daemon that restarts breaks no session. */
class McpBridge {
  readonly #cli: Cli;
  readonly #connection: Connection;
  readonly #running = new Map<string, AbortController>();
  /** The revision that `initialize` agreed on; later revisions name it in each request. */
  #revision: string | undefined;
  /** The session of the daemon, which knows by it what the client can do. */
  #session: string | undefined;

  constructor(cli: Cli, connection: Connection) {
    this.#cli = cli;
    this.#connection = connection;
  }

  /** Never rejects: what fails is answered, where it was a request. */
  async take(message: JsonRpcMessage): Promise<void> {
    const { id, method, params } = message;
    if (method === 'notifications/cancelled')
      this.#running.get(JSON.stringify(params?.['requestId']))?.abort();
    try {
      if (id === undefined || id === null || method === undefined) await this.#notify(message);
      else await this.#request(message, id);
    } catch (error) {
      // A message without a method is an answer of the client, which expects none.
      this.#fail(error, method === undefined ? undefined : id);
    }
  }

  /** Stops waiting for answers, because they are no longer read. */
  stop(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  refuse(code: number, message: string, id: string | number | null = null): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }

  async #notify(message: JsonRpcMessage): Promise<void> {
    const send = () => this.#connection.client.mcp.send({ headers: this.#headers(message), body: message });
    try {
      await send();
    } catch (error) {
      this.#leaveSession(error);
      await send();
    }
  }

  #headers(message: JsonRpcMessage) {
    const isOfSession = this.#session !== undefined && message.method !== 'initialize';
    return {
      ...headersFor(message, this.#revision),
      ...(isOfSession && { 'mcp-session-id': this.#session }),
    };
  }

  async #request(message: JsonRpcMessage, id: string | number): Promise<void> {
    const key = JSON.stringify(id);
    const controller = new AbortController();
    this.#running.set(key, controller);
    let isAnswered = false;
    try {
      for await (const { data } of this.#answers(message, controller.signal)) {
        if (message.method === 'initialize') this.#noteRevision(data);
        isAnswered ||= data.id === id;
        this.#write(data);
      }
      if (!isAnswered && !controller.signal.aborted)
        this.refuse(INTERNAL_ERROR, 'The daemon ended the connection before it answered. Try again.', id);
    } catch (error) {
      // What a client cancels is not answered.
      if (!controller.signal.aborted && !isAnswered) throw error;
    } finally {
      if (this.#running.get(key) === controller) this.#running.delete(key);
    }
  }

  async *#answers(message: JsonRpcMessage, signal: AbortSignal) {
    const open = () =>
      this.#connection.client.mcp.sendStream(
        { headers: this.#headers(message), body: message },
        { signal, onHeaders: (headers) => this.#noteSession(headers) },
      );
    try {
      yield* open();
    } catch (error) {
      this.#leaveSession(error);
      yield* open();
    }
  }

  /** Goes on without a session that the daemon does not know, as after another sign-in; throws any other error. */
  #leaveSession(error: unknown): void {
    if (!(error instanceof ApiError) || error.status !== 404 || this.#session === undefined) throw error;
    this.#session = undefined;
  }

  #noteSession(headers: { get(name: string): string | null }): void {
    this.#session = headers.get('mcp-session-id') ?? this.#session;
  }

  #noteRevision({ result }: JsonRpcMessage): void {
    const revision = result?.['protocolVersion'];
    if (typeof revision === 'string') this.#revision = revision;
  }

  #fail(error: unknown, id: JsonRpcMessage['id']): void {
    const refused = error instanceof ApiError ? refusalIn(error.body) : undefined;
    const known = refused && error instanceof ApiError ? plain(error, refused.message) : error;
    const text = formatError(known, this.#cli);
    if (id === undefined || id === null) this.#cli.output.note(`svc: ${text}`);
    else this.refuse(refused?.code ?? INTERNAL_ERROR, text, id);
  }

  #write(message: object): void {
    this.#cli.output.write(`${JSON.stringify(message)}\n`);
  }
}

/** The error of JSON-RPC in a response of the daemon. */
function refusalIn(body: unknown): { code: number; message: string } | undefined {
  const error: unknown =
    typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof error === 'object' && error !== null && 'code' in error
    ? (error as { code: number; message: string })
    : undefined;
}

/** The same failure as any other route would answer it, which is what people know. */
const plain = ({ status, mayPass, retryAfter }: ApiError, message: string) =>
  new ApiError(status, { error: message }, { mayPass, retryAfter });
