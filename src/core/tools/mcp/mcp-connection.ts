import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ToolServer } from '../../../contract/tools.ts';
import type { McpServerSettings } from '../../config/tool-settings.ts';
import { inheritedEnvironment } from '../../processes/process-group.ts';
import type { ModelFetch } from '../../outbound/model-fetch.ts';
import type { Runtime } from '../../runtime.ts';
import type { McpClient, McpLimits } from './mcp-client.ts';
import { McpFailure, McpSessionOver } from './mcp-failure.ts';
import type { McpOffer, OfferedTool } from './mcp-offer.ts';
import { type McpSecrets, secretsOf } from './mcp-secrets.ts';
import { unlessAborted } from '../../async/unless-aborted.ts';

const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 5 * 60_000;
/** Not every server says that its tools changed, and not every saying arrives. */
const MAX_LIST_AGE_MS = 5 * 60_000;

export interface McpConnectionDeps {
  runtime: Pick<Runtime, 'monotonic' | 'newId'>;
  fetch: ModelFetch;
  /** The daemon's environment, of which an allow list is passed on. */
  env: Record<string, string | undefined>;
  /** Stands for this data folder in the marks of the processes. */
  installation: string;
  limits: McpLimits;
}

/** A connection that is up, with what the server offers on it. */
interface Live {
  client: McpClient;
  offer: McpOffer;
  listedAt: number;
}

/** One server: connects when it is first needed, stays connected, and waits a while after a failure. */
export class McpConnection {
  readonly name: string;
  readonly settings: McpServerSettings;
  readonly secrets: McpSecrets;
  readonly #deps: McpConnectionDeps;
  readonly #closing = new AbortController();
  #live: Live | undefined;
  /** The one attempt in flight to connect or to list. */
  #attempt: Promise<Live> | undefined;
  #failures = 0;
  #upSince = -Infinity;
  #pausedUntil = -Infinity;
  #trouble: string | undefined;
  /** Whether the last attempt failed, which keeps nobody waiting for the next. */
  #isFailing = false;

  constructor(name: string, settings: McpServerSettings, deps: McpConnectionDeps) {
    this.name = name;
    this.settings = settings;
    this.secrets = secretsOf(settings);
    this.#deps = deps;
  }

  /** What the server offers; nothing while it cannot be used. */
  async offered(): Promise<OfferedTool[]> {
    // What goes wrong is told by `describe`.
    const attempt = this.#current().catch(() => undefined);
    return (this.#isFailing ? this.#live : await attempt)?.offer.tools ?? [];
  }

  describe(): ToolServer {
    const message = this.#live ? this.#live.offer.remark : this.#trouble && asSentence(this.#trouble);
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
      if (error instanceof McpSessionOver) return once();
      throw error;
    });
    this.#failures = 0;
    return result;
  }

  async close(): Promise<void> {
    this.#closing.abort(new McpFailure('its settings have changed, or svc stops'));
    // From here on nothing more is asked, though the end may take a while.
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
    if (now < this.#pausedUntil) throw new McpFailure(this.#trouble ?? 'it failed just now');
    this.#attempt = this.#connect(live).finally(() => (this.#attempt = undefined));
    return this.#attempt;
  }

  /** Connects unless it is connected already, and lists the tools. */
  async #connect(live: Live | undefined): Promise<Live> {
    const { signal } = this.#closing;
    let client = live?.client;
    try {
      client ??= await this.#open(signal);
      const offer = await client.list(signal);
      signal.throwIfAborted();
      // It may have ended while it answered.
      if (!client.isOpen) throw new McpFailure('it has ended');
      this.#live = { client, offer, listedAt: this.#deps.runtime.monotonic() };
      this.#isFailing = false;
      this.#trouble = undefined;
      return this.#live;
    } catch (error) {
      this.#live = undefined;
      await client?.close();
      if (!signal.aborted) {
        this.#isFailing = true;
        this.#pause(error instanceof McpFailure ? error.message : 'it cannot be used');
      }
      throw error;
    }
  }

  async #open(signal: AbortSignal): Promise<McpClient> {
    const { runtime, env, installation, limits, fetch } = this.#deps;
    // Loaded at the first use: a daemon without MCP servers does not pay for it.
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
        onEnd: (fault) => this.#ended(fault),
      },
      signal,
    );
    this.#upSince = runtime.monotonic();
    return client;
  }

  #ended(fault: string | undefined): void {
    if (this.#live?.client.isOpen) return;
    this.#live = undefined;
    if (this.#deps.runtime.monotonic() - this.#upSince > MAX_PAUSE_MS) this.#failures = 0;
    // An attempt sees by itself that it failed.
    if (fault !== undefined && !this.#attempt && !this.#closing.signal.aborted) this.#pause(fault);
  }

  #pause(trouble: string): void {
    this.#trouble = trouble;
    const pause = Math.min(MIN_PAUSE_MS * 2 ** this.#failures, MAX_PAUSE_MS);
    this.#failures++;
    this.#pausedUntil = this.#deps.runtime.monotonic() + pause;
  }
}

const asSentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
