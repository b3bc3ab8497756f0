import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ToolServer } from '../../../contract/tools.ts';
import type { McpServerSettings } from '../../config/tool-settings.ts';
import { inheritedEnvironment } from '../../processes/process-group.ts';
import type { ModelFetch } from '../../outbound/model-fetch.ts';
import type { Runtime } from '../../runtime.ts';
import type { McpClient, McpLimits } from './mcp-client.ts';
import { McpFailure, McpSessionExpired } from './mcp-failure.ts';
import type { McpOffer, OfferedTool } from './mcp-offer.ts';
import { type McpSecrets, secretsOf } from './mcp-secrets.ts';
import { unlessAborted } from '../../async/unless-aborted.ts';

const MIN_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 5 * 60_000;
/** Lists the tools again after this time, because change notifications can be missing or lost. */
const MAX_LIST_AGE_MS = 5 * 60_000;

export interface McpConnectionDeps {
  runtime: Pick<Runtime, 'monotonic' | 'newId'>;
  fetch: ModelFetch;
  /** The daemon's environment; only an allowlist of it is passed on. */
  env: Record<string, string | undefined>;
  /** The id of this installation, for the marks of its processes. */
  installation: string;
  limits: McpLimits;
}

/** An open connection and the tools that the server offers on it. */
interface Live {
  client: McpClient;
  offer: McpOffer;
  listedAt: number;
}

/** The connection to one server: opened on first use, kept open, and retried with backoff after failures. */
export class McpConnection {
  readonly name: string;
  readonly settings: McpServerSettings;
  readonly secrets: McpSecrets;
  readonly #deps: McpConnectionDeps;
  readonly #closing = new AbortController();
  #live: Live | undefined;
  /** The pending attempt to connect or list, shared by all callers. */
  #attempt: Promise<Live> | undefined;
  #failures = 0;
  #upSince = -Infinity;
  #retryAt = -Infinity;
  #failureReason: string | undefined;
  /** Whether the last attempt failed; then callers do not wait for the next. */
  #hasFailed = false;

  constructor(name: string, settings: McpServerSettings, deps: McpConnectionDeps) {
    this.name = name;
    this.settings = settings;
    this.secrets = secretsOf(settings);
    this.#deps = deps;
  }

  /** The tools of the server; empty while it is not available. */
  async listTools(): Promise<OfferedTool[]> {
    // `describe` reports the failure.
    const attempt = this.#current().catch(() => undefined);
    return (this.#hasFailed ? this.#live : await attempt)?.offer.tools ?? [];
  }

  describe(): ToolServer {
    const message = this.#live
      ? this.#live.offer.note
      : this.#failureReason && asSentence(this.#failureReason);
    return {
      name: this.name,
      transport: 'url' in this.settings ? 'http' : 'stdio',
      connected: this.#live !== undefined,
      tools: this.#live?.offer.tools.length ?? 0,
      ...(message !== undefined && { message }),
    };
  }

  /** Throws an `McpFailure`, or the reason of the signal. */
  async call(tool: OfferedTool, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    const once = async () => {
      const { client } = this.#live ?? (await unlessAborted(this.#current(), signal));
      return client.call(tool, args, signal);
    };
    const result = await once().catch((error: unknown) => {
      if (error instanceof McpSessionExpired) return once();
      throw error;
    });
    this.#failures = 0;
    return result;
  }

  async close(): Promise<void> {
    this.#closing.abort(new McpFailure('its settings have changed, or svc is stopping'));
    // Cleared first, so that no request starts while the connection closes.
    const live = this.#live;
    this.#live = undefined;
    await this.#attempt?.catch(() => undefined);
    await live?.client.close();
  }

  async #current(): Promise<Live> {
    if (this.#attempt) return this.#attempt;
    this.#closing.signal.throwIfAborted();
    const now = this.#deps.runtime.monotonic();
    const live = this.#live;
    if (live && !live.client.hasChanged && now - live.listedAt < MAX_LIST_AGE_MS) return live;
    if (now < this.#retryAt) throw new McpFailure(this.#failureReason ?? 'it has just failed');
    this.#attempt = this.#connect(live).finally(() => (this.#attempt = undefined));
    return this.#attempt;
  }

  /** Connects if necessary and lists the tools. */
  async #connect(live: Live | undefined): Promise<Live> {
    const { signal } = this.#closing;
    let client = live?.client;
    try {
      client ??= await this.#open(signal);
      const offer = await client.list(signal);
      signal.throwIfAborted();
      // The connection may have closed while it listed.
      if (!client.isOpen) throw new McpFailure('it has exited');
      this.#live = { client, offer, listedAt: this.#deps.runtime.monotonic() };
      this.#hasFailed = false;
      this.#failureReason = undefined;
      return this.#live;
    } catch (error) {
      this.#live = undefined;
      await client?.close();
      if (!signal.aborted) {
        this.#hasFailed = true;
        this.#backOff(error instanceof McpFailure ? error.message : 'it cannot be used');
      }
      throw error;
    }
  }

  async #open(signal: AbortSignal): Promise<McpClient> {
    const { runtime, env, installation, limits, fetch } = this.#deps;
    // Loaded on first use, because most daemons have no MCP servers.
    const { openMcpClient } = await import('./mcp-client.ts');
    const client = await openMcpClient(
      {
        settings: this.settings,
        secrets: this.secrets.all,
        limits,
        fetch,
        monotonic: runtime.monotonic,
        env: inheritedEnvironment(env),
        home: env['HOME'] ?? '/',
        mark: `${installation}/${runtime.newId('mcp')}`,
        onDisconnect: (fault) => this.#handleDisconnect(fault),
      },
      signal,
    );
    this.#upSince = runtime.monotonic();
    return client;
  }

  #handleDisconnect(fault: string | undefined): void {
    if (this.#live?.client.isOpen) return;
    this.#live = undefined;
    if (this.#deps.runtime.monotonic() - this.#upSince > MAX_BACKOFF_MS) this.#failures = 0;
    // A pending attempt detects the failure itself.
    if (fault !== undefined && !this.#attempt && !this.#closing.signal.aborted) this.#backOff(fault);
  }

  #backOff(reason: string): void {
    this.#failureReason = reason;
    const delay = Math.min(MIN_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures++;
    this.#retryAt = this.#deps.runtime.monotonic() + delay;
  }
}

/** The name of a host keeps its small letter. */
const asSentence = (text: string) => text.replace(/^it(?=s? )/, 'It');
