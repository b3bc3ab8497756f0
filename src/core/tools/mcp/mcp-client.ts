import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
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
import { explainFailure, isRefusedHandshake, isSessionExpired } from './explain-failure.ts';
import { FloodGuard } from './flood-guard.ts';
import { McpFailure, McpSessionExpired } from './mcp-failure.ts';
import { type McpOffer, type OfferedTool, OfferCollector } from './mcp-offer.ts';
import { StdioTransport } from './stdio-transport.ts';
import { unlessAborted } from '../../async/unless-aborted.ts';

const MAX_PAGES = 50;
/** The most messages in ten seconds. */
const MAX_MESSAGES = 5000;
const FLOOD_WINDOW_MS = 10_000;
/** The limit of a call, no matter how much progress it reports. */
const MAX_CALL_MS = 30 * 60_000;
const SESSION_CLOSE_MS = 1000;
/** Servers choose the delay of reconnects, so it needs a minimum. */
const MIN_RECONNECT_MS = 1000;

export interface McpLimits {
  connectMs: number;
  callMs: number;
}
export interface McpClientOptions {
  settings: McpServerSettings;
  /** Every value that must not be disclosed. */
  secrets: readonly string[];
  limits: McpLimits;
  fetch: ModelFetch;
  monotonic: () => number;
  /** For stdio servers: the base environment, the default directory, and the mark of their processes. */
  env: Record<string, string | undefined>;
  home: string;
  mark: string;
  /** Called once if the connection ends without `close`, with the reason if the server is at fault. */
  onDisconnect: (fault: string | undefined) => void;
}

/** Connects to a server; throws an `McpFailure` if that fails. */
export async function openMcpClient(options: McpClientOptions, signal: AbortSignal): Promise<McpClient> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(options.limits.connectMs)]);
  try {
    // Few servers support only later protocol versions, and some treat the version negotiation as an attack.
    return await McpClient.open(options, 'legacy', limit).catch((error: unknown) => {
      if (!isRefusedHandshake(error)) throw error;
      return McpClient.open(options, 'auto', limit);
    });
  } catch (error) {
    const hasTimedOut = limit.aborted && !signal.aborted && !(error instanceof McpFailure);
    throw hasTimedOut ? timeoutFailure(options.limits.connectMs) : explainFailure(error, options.secrets);
  }
}

/** A connection to a server. Its methods throw an `McpFailure`, or the reason of the signal. */
export class McpClient {
  /** Whether the server reported a change of its tools since they were listed. */
  hasChanged = false;
  readonly #options: McpClientOptions;
  readonly #client: Client;
  readonly #transport: StdioTransport | StreamableHTTPClientTransport;
  readonly #flood: FloodGuard;
  #closeReason: string | undefined;
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
      const { closeReason, hasStrayOutput } = client.#program ?? {};
      const stray = hasStrayOutput && signal.aborted ? 'its output is not MCP' : undefined;
      const reason = client.#closeReason ?? closeReason ?? stray;
      await client.#transport.close();
      throw reason === undefined ? error : new McpFailure(reason);
    }
  }

  private constructor(options: McpClientOptions, mode: VersionNegotiationMode) {
    this.#options = options;
    this.#flood = new FloodGuard(MAX_MESSAGES, FLOOD_WINDOW_MS, options.monotonic);
    this.#client = new Client(
      { name: 'svc', version },
      {
        // Servers get no access to models or users, and hear of no directories but their own.
        capabilities: options.settings.roots.length > 0 ? { roots: {} } : {},
        inputRequired: { autoFulfill: false },
        versionNegotiation: { mode },
        listChanged: {
          tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void (this.hasChanged = true) },
        },
        // The default validator would compile untrusted schemas, only to check output that a model reads.
        jsonSchemaValidator: { getValidator: acceptUnchecked },
      },
    );
    const { roots } = options.settings;
    if (roots.length > 0)
      this.#client.setRequestHandler('roots/list', () => ({
        roots: roots.map((root) => ({ uri: pathToFileURL(root).href, name: basename(root) })),
      }));
    this.#transport = this.#createTransport();
    const transport: Transport = this.#transport;
    transport.onmessage = () => {
      if (this.#flood.take(1)) this.#disconnect('it sends too many messages');
    };
    transport.onclose = () => this.#handleClose();
    // A broken stream does not tell whether the calls that wait for responses on it can still finish.
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
        const response = await this.#client.request({ method: 'tools/list', params }, { signal: limit });
        collector.add(response.tools);
        cursor = response.nextCursor;
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
          // Without a handler, the server is not asked to report progress.
          onprogress: () => undefined,
          toolDefinition: { name, inputSchema },
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (isTimeout(error)) {
        void this.#check();
        throw timeoutFailure(callMs);
      }
      if (!isSessionExpired(error)) throw this.#failure(error);
      this.#disconnect(sessionExpired);
      throw new McpSessionExpired(sessionExpired);
    }
  }

  async close(): Promise<void> {
    this.#closeReason ??= 'its settings have changed, or svc is stopping';
    this.#isOpen = false;
    if (this.#transport instanceof StreamableHTTPClientTransport)
      await Promise.race([
        this.#transport.terminateSession().catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, SESSION_CLOSE_MS).unref()),
      ]);
    await this.#transport.close();
  }

  get #program(): StdioTransport | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport : undefined;
  }

  #createTransport() {
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
    // Parts of the SDK ignore the signal.
    await unlessAborted(this.#client.connect(this.#transport, { signal, timeout }), signal);
    this.#isOpen = true;
  }

  /** Disconnects from a server that no longer responds, which rejects all pending requests. */
  async #check(): Promise<void> {
    if (!this.#isOpen || this.#isChecking) return;
    this.#isChecking = true;
    const limit = { timeout: this.#options.limits.connectMs };
    try {
      // Later protocol versions have no ping.
      await (this.#client.getProtocolEra() === 'legacy'
        ? this.#client.ping(limit)
        : this.#client.discover(limit));
    } catch (error) {
      // Some servers reject a ping, which is a response too.
      if (isRefusedHandshake(error)) return;
      this.#disconnect(isSessionExpired(error) ? sessionExpired : this.#failure(error).message);
    } finally {
      this.#isChecking = false;
    }
  }

  #failure(error: unknown): McpFailure {
    const reason = this.#closeReason ?? this.#program?.closeReason;
    return reason === undefined ? explainFailure(error, this.#options.secrets) : new McpFailure(reason);
  }

  #disconnect(reason: string): void {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    this.#transport.close().catch(() => this.#handleClose());
  }

  #handleClose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const reason = this.#closeReason ?? this.#program?.closeReason ?? 'it closed the connection';
    this.#options.onDisconnect(reason === sessionExpired ? undefined : reason);
  }
}

const timeoutFailure = (limitMs: number) => new McpFailure(`it did not answer in ${limitMs / 1000} seconds`);

const acceptUnchecked =
  <T>(): JsonSchemaValidator<T> =>
  (input) => ({ valid: true, data: input as T, errorMessage: undefined });

const sessionExpired = 'it has closed the session';

const isTimeout = (error: unknown) => error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
