import { createHmac, hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookEvent } from '../../../src/contract/webhooks.ts';
import type { Random } from './random.ts';

/** The webhooks of the rig, and what each is told. */
export const hooks: Readonly<Record<string, WebhookEvent[]>> = {
  all: ['task.created', 'task.completed', 'task.failed', 'task.cancelled', 'agent.started', 'agent.finished'],
  ends: ['task.completed', 'task.failed'],
};

/** What came under one id. */
export interface SeenDelivery {
  hook: string;
  event: string;
  /** The task that it is about, where it is about one. */
  taskId: string | undefined;
  bodyHash: string;
  requests: number;
  /** The lives of the daemon in which it came. */
  lives: Set<number>;
}

/** What a request meets; everything but `taken` is one that the sender has to make again. */
type Reception = 'taken' | 'error' | 'broken' | 'held' | 'gone';
const TOLERANCE_S = 300;

/** Takes what the daemon sends to webhooks, holds it against its signatures, and remembers it over every crash. */
export class WebhookReceiver implements AsyncDisposable {
  /** By id. */
  readonly seen = new Map<string, SeenDelivery>();
  /** Ids of what came since they were last looked at. */
  readonly touched = new Set<string>();
  readonly faults: string[] = [];
  /** Secrets by the names of the webhooks. */
  readonly secrets = new Map<string, string>();
  requests = 0;
  /** Counts the daemons that there were. */
  life = 0;
  readonly #server = createServer((request, response) => void this.#take(request, response));
  readonly #held = new Set<ServerResponse>();
  #random: Random | undefined;
  #goneAfter = 0;

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  urlOf(hook: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${hook}`;
  }

  /** Does not always do its part from now on; `goneAfter` so many requests it says that it is gone. */
  misbehave(random: Random, goneAfter = 0): void {
    this.#random = random;
    this.#goneAfter = goneAfter;
  }

  /** Takes everything from now on, also what it held. */
  behave(): void {
    this.#random = undefined;
    for (const response of this.#held) response.end();
    this.#held.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A daemon that dies breaks off what it sends.
    const body = await request.toArray().then(
      (chunks) => Buffer.concat(chunks),
      () => undefined,
    );
    if (!body) return;
    const hook = request.url?.slice(1) ?? '';
    for (const fault of this.#note(hook, request.headers, body)) this.faults.push(fault);
    this.requests++;
    switch (this.#receptionFor(hook)) {
      case 'taken':
        return void response.end('thanks');
      case 'error':
        return void response.writeHead(500).end('not now');
      case 'gone':
        return void response.writeHead(410).end();
      case 'broken':
        return void request.socket.destroy();
      case 'held':
        this.#held.add(response);
    }
  }

  *#note(hook: string, headers: IncomingMessage['headers'], body: Buffer): Generator<string> {
    const text = body.toString('utf8');
    const id = String(headers['webhook-id']);
    const event = String(headers['x-service-event']);
    const timestamp = String(headers['webhook-timestamp']);
    const secret = this.secrets.get(hook) ?? '';
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64');
    if (headers['webhook-signature'] !== `v1,${signature}`) yield `I6: ${id} has a wrong webhook-signature`;
    const own = createHmac('sha256', secret).update(body).digest('hex');
    if (headers['x-service-signature'] !== `sha256=${own}`) yield `I6: ${id} has a wrong X-Service-Signature`;
    if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < TOLERANCE_S))
      yield `I6: ${id} was signed at ${timestamp}`;
    const said = JSON.parse(text) as { id?: string; event?: string; payload?: { id?: string } };
    if (said.id !== id || said.event !== event || headers['x-service-delivery'] !== id)
      yield `I6: the headers of ${id} are not those of its body`;

    const bodyHash = hash('sha256', body);
    const seen = this.seen.get(id) ?? {
      hook,
      event,
      taskId: said.payload?.id,
      bodyHash,
      requests: 0,
      lives: new Set(),
    };
    if (seen.bodyHash !== bodyHash) yield `I6: ${id} came with other bytes than before`;
    if (seen.hook !== hook) yield `I6: ${id} came to ${seen.hook} and to ${hook}`;
    seen.requests++;
    seen.lives.add(this.life);
    this.seen.set(id, seen);
    this.touched.add(id);
  }

  #receptionFor(hook: string): Reception {
    const random = this.#random;
    if (!random) return 'taken';
    if (this.#goneAfter > 0 && --this.#goneAfter === 0) return 'gone';
    const chance = random.next();
    if (chance < 0.03) return 'broken';
    if (chance < 0.05) return 'error';
    if (chance < 0.06) return 'held';
    return hook === 'ends' && chance < 0.09 ? 'gone' : 'taken';
  }
}
