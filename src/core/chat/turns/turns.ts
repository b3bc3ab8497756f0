import { SerialByKey } from '../../async/serial-by-key.ts';

/** Why a turn has to end: another daemon may have taken it, or a person has stopped it there. */
export type TurnLoss = 'lost' | 'stopped';

/** The turns of conversations: one at a time in each. */
export interface Turns {
  /** Does the work once everything before it in the conversation is done. */
  run<T>(conversationId: string, work: () => Promise<T>): Promise<T>;
  /** Whether a turn of the conversation runs or waits for another one. */
  isBusy(conversationId: string): Promise<boolean>;
  /** Asks the other daemon that has the turn of the conversation to stop it; answers whether one has. */
  stopElsewhere(conversationId: string): Promise<boolean>;
  /** The number of the turn that this daemon has, which a write of it must find in the row; undefined where it is alone. */
  fenceOf(conversationId: string): number | undefined;
  /** Calls back when a turn of this daemon has to end. */
  onLoss(listener: (conversationId: string, loss: TurnLoss) => void): void;
  /** Resolves when nothing more is written; who still waits for a turn gets none. */
  stop(): Promise<void>;
}

/** Turns of a daemon that has its conversations for itself. */
export class LocalTurns implements Turns {
  readonly #serial = new SerialByKey();

  run<T>(conversationId: string, work: () => Promise<T>): Promise<T> {
    return this.#serial.enqueue(conversationId, work);
  }

  async isBusy(conversationId: string): Promise<boolean> {
    return this.#serial.isBusy(conversationId);
  }

  async stopElsewhere(): Promise<boolean> {
    return false;
  }

  fenceOf(): undefined {
    return undefined;
  }

  onLoss(): void {
    // Nobody takes one.
  }

  async stop(): Promise<void> {
    // Nothing is left to write.
  }
}
