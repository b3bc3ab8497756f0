import {
  type CallToolResult,
  Client,
  type JsonSchemaValidator,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type { McpServerSettings } from '../../config/tool-settings.ts';
import type { ModelFetch } from '../../outbound/model-fetch.ts';
import { version } from '../../version.ts';
import { explainFailure, isRefusedHandshake, isSessionOver } from './explain-failure.ts';
import { FloodGuard } from './flood-guard.ts';
import { McpFailure, McpSessionOver } from './mcp-failure.ts';
import { type McpOffer, type OfferedTool, OfferCollector } from './mcp-offer.ts';
import { StdioTransport } from './stdio-transport.ts';
import { unlessAborted } from '../../async/unless-aborted.ts';

const MAX_PAGES = 50;
/** Messages in ten seconds. */
const MAX_MESSAGES = 5000;
const FLOOD_WINDOW_MS = 10_000;
/** However much progress it reports. */
const MAX_CALL_MS = 30 * 60_000;
const GOODBYE_MS = 1000;
/** A server may ask to be asked again at once, for ever. */
const MIN_RECONNECT_MS = 1000;

export interface McpLimits {
  connectMs: number;
  callMs: number;
}
export interface McpClientOptions {
  settings: McpServerSettings;
  /** Every value that must not be seen. */
  secrets: readonly string[];
  limits: McpLimits;
  fetch: ModelFetch;
  monotonic: () => number;
  /** For servers that are programs: the environment to begin with, the folder, and the mark of their processes. */
  env: Record<string, string | undefined>;
  home: string;
  mark: string;
  /** Called once, when the connection ends and nobody closed it: with the reason where that is a fault of the server. */
  onEnd: (fault: string | undefined) => void;
}

/** Connects to a server; throws an `McpFailure` where it cannot. */
export async function openMcpClient(options: McpClientOptions, signal: AbortSignal): Promise<McpClient> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(options.limits.connectMs)]);
  try {
    // Few servers speak the later versions alone, and some take their first question for an attack.
    return await McpClient.open(options, 'legacy', limit).catch((error: unknown) => {
      if (!isRefusedHandshake(error)) throw error;
      return McpClient.open(options, 'auto', limit);
    });
  } catch (error) {
    const isLate = limit.aborted && !signal.aborted && !(error instanceof McpFailure);
    throw isLate ? tooLate(options.limits.connectMs) : explainFailure(error, options.secrets);
  }
}

/** A connection to a server. What its methods throw is an `McpFailure`, or the reason of the signal. */
export class McpClient {
  /** Whether the server said that its tools changed since they were listed. */
  hasChanged = false;
  readonly #options: McpClientOptions;
  readonly #client: Client;
  readonly #transport: StdioTransport | StreamableHTTPClientTransport;
  readonly #flood: FloodGuard;
  #ending: string | undefined;
  #isOpen = false;
  #isChecking = false;

  static async open(
    options: McpClientOptions,
    mode: VersionNegotiationMode,
    signal: AbortSignal,
  ): Promise<McpClient> {
    const client = new McpClient(options, mode);
    try {
      await client.#connect(signal);
      return client;
    } catch (error) {
      const { ending, hasStrayOutput } = client.#program ?? {};
      const stray = hasStrayOutput && signal.aborted ? 'it writes to its output what is not MCP' : undefined;
      const trouble = client.#ending ?? ending ?? stray;
      await client.#transport.close();
      throw trouble === undefined ? error : new McpFailure(trouble);
    }
  }

  private constructor(options: McpClientOptions, mode: VersionNegotiationMode) {
    this.#options = options;
    this.#flood = new FloodGuard(MAX_MESSAGES, FLOOD_WINDOW_MS, options.monotonic);
    this.#client = new Client(
      { name: 'svc', version },
      {
        // Nothing is offered to a server: neither models, nor people, nor folders.
        capabilities: {},
        inputRequired: { autoFulfill: false },
        versionNegotiation: { mode },
        listChanged: {
          tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (this.hasChanged = true) },
        },
        // Its own would compile the schemas of strangers to check what only a model reads.
        jsonSchemaValidator: { getValidator: believe },
      },
    );
    this.#transport = this.#makeTransport();
    const transport: Transport = this.#transport;
    transport.onmessage = () => {
      if (this.#flood.take(1)) this.#end('it sends more messages than anybody can read');
    };
    transport.onclose = () => this.#ended();
    // A stream that broke off says nothing of the calls whose answers it would have carried.
    if (!this.#program) transport.onerror = () => void this.#check();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async list(signal: AbortSignal): Promise<McpOffer> {
    this.hasChanged = false;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#options.limits.connectMs)]);
    const collector = new OfferCollector();
    let cursor: string | undefined;
    try {
      if (!this.#client.getServerCapabilities()?.tools) return collector.finish(false);
      for (let page = 0; page < MAX_PAGES && !collector.isFull; page++) {
        const params = cursor === undefined ? {} : { cursor };
        const answer = await this.#client.request({ method: 'tools/list', params }, { signal: limit });
        collector.add(answer.tools);
        cursor = answer.nextCursor;
        if (cursor === undefined) break;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw this.#failure(error);
    }
    return collector.finish(cursor !== undefined);
  }

  async call(
    { name, inputSchema }: OfferedTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const { callMs } = this.#options.limits;
    try {
      return await this.#client.callTool(
        { name, arguments: args },
        {
          signal,
          timeout: callMs,
          maxTotalTimeout: MAX_CALL_MS,
          resetTimeoutOnProgress: true,
          // Without it the server is not asked to report any.
          onprogress: () => undefined,
          toolDefinition: { name, inputSchema },
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (isTimeout(error)) {
        void this.#check();
        throw tooLate(callMs);
      }
      if (!isSessionOver(error)) throw this.#failure(error);
      this.#end(sessionOver);
      throw new McpSessionOver(sessionOver);
    }
  }

  async close(): Promise<void> {
    this.#ending ??= 'its settings have changed, or svc stops';
    this.#isOpen = false;
    if (this.#transport instanceof StreamableHTTPClientTransport)
      await Promise.race([
        this.#transport.terminateSession().catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref()),
      ]);
    await this.#transport.close();
  }

  get #program(): StdioTransport | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport : undefined;
  }

  #makeTransport() {
    const { settings, fetch, env, home, mark, monotonic } = this.#options;
    if ('url' in settings)
      return new StreamableHTTPClientTransport(new URL(settings.url), {
        fetch,
        requestInit: { headers: settings.headers, redirect: 'manual' },
        reconnectionScheduler: (reconnect, delay) => {
          const timer = setTimeout(reconnect, Math.max(delay, MIN_RECONNECT_MS));
          return () => clearTimeout(timer);
        },
      });
    const { command, args, cwd = home } = settings;
    return new StdioTransport({ command, args, cwd, env: { ...env, ...settings.env }, mark }, monotonic);
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const timeout = this.#options.limits.connectMs;
    // Not everything that the SDK does on the way heeds its signal.
    await unlessAborted(this.#client.connect(this.#transport, { signal, timeout }), signal);
    this.#isOpen = true;
  }

  /** Ends a connection on which nobody answers any more; those who wait for something are told. */
  async #check(): Promise<void> {
    if (!this.#isOpen || this.#isChecking) return;
    this.#isChecking = true;
    const limit = { timeout: this.#options.limits.connectMs };
    try {
      // The later versions have no ping.
      await (this.#client.getProtocolEra() === 'legacy'
        ? this.#client.ping(limit)
        : this.#client.discover(limit));
    } catch (error) {
      // Some servers know no ping, and answer that.
      if (isRefusedHandshake(error)) return;
      this.#end(isSessionOver(error) ? sessionOver : this.#failure(error).message);
    } finally {
      this.#isChecking = false;
    }
  }

  #failure(error: unknown): McpFailure {
    const ending = this.#ending ?? this.#program?.ending;
    return ending === undefined ? explainFailure(error, this.#options.secrets) : new McpFailure(ending);
  }

  #end(reason: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = reason;
    this.#transport.close().catch(() => this.#ended());
  }

  #ended(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const reason = this.#ending ?? this.#program?.ending ?? 'it closed the connection';
    this.#options.onEnd(reason === sessionOver ? undefined : reason);
  }
}

const tooLate = (limitMs: number) => new McpFailure(`it did not answer in ${limitMs / 1000} seconds`);

const believe =
  <T>(): JsonSchemaValidator<T> =>
  (input) => ({ valid: true, data: input as T, errorMessage: undefined });

const sessionOver = 'it has ended the session';

const isTimeout = (error: unknown) => error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
