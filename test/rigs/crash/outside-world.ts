import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client } from '../../../src/contract/client.ts';
import type { Flags } from '../../../src/core/config/config.ts';
import { poll } from '../poll.ts';
import { checkDeliveries, checkHooks, checkIssue } from './check-outside.ts';
import { IssueSender } from './issue-sender.ts';
import type { KillOrder } from './kill-points.ts';
import { OutsideRows, type Stretch } from './outside-rows.ts';
import type { OutsideDeps } from './outside-deps.ts';
import { ScheduleMaker } from './schedule-maker.ts';
import { hooks, WebhookReceiver } from './webhook-receiver.ts';

/** A slow machine may take so many times longer, as long as something comes. */
const MOST_LIMITS = 4;

const now = () => new Date().toISOString();

/** What the daemon tells and who tells the daemon, in the process of the rig, so that it remembers over every crash. */
export class OutsideWorld {
  readonly receiver: WebhookReceiver;
  readonly sender = new IssueSender();
  readonly schedules = new ScheduleMaker();
  /** By the names of the webhooks. */
  readonly #hookIds = new Map<string, string>();
  /** When the webhooks were told of what happened; the last one may be going on. */
  readonly #stretches: { from: string; to?: string }[] = [];

  private constructor(receiver: WebhookReceiver) {
    this.receiver = receiver;
  }

  static async start(): Promise<OutsideWorld> {
    return new OutsideWorld(await WebhookReceiver.start());
  }

  /** Settings with which a daemon takes part in it. */
  get flags(): Flags {
    return { 'outbound.allowPrivate': ['127.0.0.0/8'], ...this.sender.flags };
  }

  get isOpen(): boolean {
    return this.#stretches.length > 0 && this.#stretches.at(-1)?.to === undefined;
  }

  /** How much it has seen, to show that it tests something. */
  get seen() {
    const repeated = [...this.receiver.seen.values()].filter(({ requests }) => requests > 1).length;
    return {
      told: this.receiver.seen.size,
      toldAgain: repeated,
      issues: this.sender.issues.length,
      schedules: this.schedules.count,
    };
  }

  /** The webhooks are told from now on; only while nothing happens. */
  async open(client: Client): Promise<void> {
    const isOpen = this.isOpen;
    const last = this.#stretches.at(-1);
    const from = now();
    if (last) last.to ??= from;
    this.#stretches.push({ from });
    if (isOpen) return;
    for (const [hook, events] of Object.entries(hooks)) {
      const id = this.#hookIds.get(hook);
      if (id !== undefined) {
        await client.webhooks.update({ params: { id }, body: { active: true } });
        continue;
      }
      const { webhook } = await client.webhooks.create({ body: { url: this.receiver.urlOf(hook), events } });
      this.#hookIds.set(hook, webhook.id);
      this.receiver.secrets.set(hook, webhook.secret);
    }
  }

  /** They are told no more; only while nothing happens. */
  async pause(client: Client): Promise<void> {
    const stretch = this.#stretches.at(-1);
    if (!stretch || !this.isOpen) return;
    stretch.to = now();
    for (const id of this.#hookIds.values())
      await client.webhooks.update({ params: { id }, body: { active: false } });
  }

  /** What has come in and gone out. */
  readonly count = () => this.receiver.requests + this.sender.answered;

  /** Sends, is sent to, and does not always take it, until the daemon is gone or all is done. */
  async load(parts: OutsideDeps, order?: KillOrder): Promise<void> {
    const failsFirst = order?.point === 'before-failing' || order?.point === 'after-failing';
    this.receiver.misbehave(parts.random, failsFirst ? order.passing : 0);
    // A webhook that fails dies there the first time.
    if (failsFirst) order.passing = 1;
    await Promise.all([this.sender.load(parts), this.schedules.load(parts), this.#activate(parts)]);
  }

  /** A person who makes webhooks active, as long as the daemon lives: mostly those that fail. */
  async #activate({ daemon, ledger, random }: OutsideDeps): Promise<void> {
    while (daemon.isAlive()) {
      await delay(random.between(20, 150));
      try {
        const { webhooks } = await daemon.client.webhooks.list();
        for (const { id, status } of webhooks)
          if (random.chance(status === 'failing' ? 0.7 : 0.1))
            await daemon.client.webhooks.update({ params: { id }, body: { active: true } });
      } catch (error) {
        if (error instanceof ApiError && error.status !== 503)
          ledger.oddAnswers.push(`${error.status} ${error.message}`);
        // Everything else is a connection that the crash took.
      }
    }
  }

  /**
   * Sends again by hand what has to wait for its next attempt, until all is delivered or nothing has come for `limitMs`;
   * answers what is not delivered.
   */
  async deliverAll(client: Client, limitMs: number): Promise<string[]> {
    let [came, at] = [this.receiver.requests, performance.now()];
    const open: string[] = [];
    await poll(async () => {
      open.length = 0;
      for (const id of this.#hookIds.values()) {
        const { webhook } = await client.webhooks.get({ params: { id } });
        if (webhook.status === 'failing')
          await client.webhooks.update({ params: { id }, body: { active: true } });
        for (const status of ['pending', 'failed'] as const) {
          const { deliveries } = await client.webhooks.listDeliveries({
            params: { id },
            query: { status, limit: 500 },
          });
          for (const { id: deliveryId, attempt, error } of deliveries) {
            open.push(`${deliveryId} is ${status} after ${attempt} attempts: ${error ?? ''}`);
            if (attempt > 0) await client.webhooks.redeliver({ params: { id, deliveryId } });
          }
        }
      }
      if (this.receiver.requests > came) [came, at] = [this.receiver.requests, performance.now()];
      return open.length === 0 || performance.now() - at > limitMs ? true : undefined;
    }, MOST_LIMITS * limitMs);
    return open;
  }

  /** Holds what happened against what was told, since the last webhooks were opened or, once `isAll`, ever. */
  check(databaseFile: string, isAll: boolean): string[] {
    const { receiver, sender } = this;
    const rows = new OutsideRows(databaseFile);
    try {
      const stretches: Stretch[] = this.#stretches.map(({ from, to }) => ({ from, to: to ?? now() }));
      const issues = isAll ? sender.issues : sender.touched;
      const faults = [
        ...checkHooks(rows, receiver, this.#hookIds),
        ...(isAll ? stretches : stretches.slice(-1)).flatMap((stretch) => [
          ...checkDeliveries(rows, receiver, this.#hookIds, stretch),
        ]),
        ...this.schedules.check(rows),
        ...[...issues].flatMap((issue) => [...checkIssue(rows, issue)]),
      ];
      const inStretches = stretches.reduce((sum, stretch) => sum + rows.deliveries(stretch).length, 0);
      if (isAll && rows.countDeliveries() !== inStretches)
        faults.push(`I6: ${rows.countDeliveries()} deliveries, ${inStretches} are known`);
      sender.touched.clear();
      return faults;
    } finally {
      rows.close();
    }
  }

  async close(): Promise<void> {
    await this.receiver[Symbol.asyncDispose]();
  }
}
