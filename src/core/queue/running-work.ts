import type { QueuedWork } from './task-queue.ts';

/** Counts what runs, by owner and agent; interactive work does not count against what an owner may run. */
export class RunningWork {
  readonly #counts = new Map<string, number>();

  add(work: QueuedWork): void {
    for (const key of keysOf(work)) this.#counts.set(key, this.#of(key) + 1);
  }

  remove(work: QueuedWork): void {
    for (const key of keysOf(work)) {
      const left = this.#of(key) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    }
  }

  ofOwner(owner: string): number {
    return this.#of(owner);
  }

  ofOwnerAndAgent(owner: string, agent: string): number {
    return this.#of(pairOf(owner, agent));
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

const keysOf = ({ owner, agent, lane }: QueuedWork) =>
  lane === 'interactive' ? [] : [owner, pairOf(owner, agent)];

const pairOf = (owner: string, agent: string) => `${owner}\0${agent}`;
