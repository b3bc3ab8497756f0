import type { Caller } from '../auth/caller.ts';
import { LiveMessages } from './live-messages.ts';
import { LiveSubscription, type Subscriber, type SubscriptionDeps } from './live-subscription.ts';
import { QueueSender, type QueueSenderDeps } from './queue-sender.ts';

export type LiveFeedDeps = Omit<SubscriptionDeps, 'messages' | 'queue'> & QueueSenderDeps;

/** Publishes events to subscribers, limited to what each may see. */
export class LiveFeed {
  readonly #deps: LiveFeedDeps;
  readonly #messages: LiveMessages;
  constructor(deps: LiveFeedDeps) {
    this.#deps = deps;
    this.#messages = new LiveMessages(deps);
  }

  /** Calls `send` for each message until the subscription is stopped, and `end` when the caller's session ends. */
  subscribe(caller: Caller, subscriber: Subscriber): LiveSubscription {
    const queue = new QueueSender(this.#deps, subscriber.send);
    return new LiveSubscription({ ...this.#deps, messages: this.#messages, queue }, caller, subscriber);
  }
}
