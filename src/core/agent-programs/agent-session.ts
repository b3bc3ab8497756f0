import type { AgentDriver, CreateDriver, DriverListener } from '../agents/drivers/driver.ts';
import { LineProgram, type LineProgramOptions } from '../processes/line-program.ts';

/** How long the agent has to stop by its own protocol. */
const PROTOCOL_STOP_MS = 1500;
/** How long it has to exit once its input is closed. */
const EXIT_MS = 2000;

/** The process of an agent with the driver that speaks to it. */
export class AgentSession {
  readonly driver: AgentDriver;
  readonly #program: LineProgram;
  #isCancelled = false;

  constructor(
    options: Omit<LineProgramOptions, 'onLine'>,
    { create, listener, onLine }: { create: CreateDriver; listener: DriverListener; onLine: () => void },
  ) {
    // The driver is there before the first line, which comes in another turn of the event loop.
    this.#program = new LineProgram({
      ...options,
      onLine: (line) => {
        onLine();
        this.driver.receive(line);
      },
    });
    this.driver = create((message) => void this.#program.send(JSON.stringify(message)), listener);
    void this.#program.exited.then((exit) =>
      this.driver.close(
        'error' in exit ? { code: null, signal: null } : exit,
        'error' in exit ? exit.error.message : this.#program.errors,
      ),
    );
  }

  /** Asks the agent to stop its turn; kills it with everything that it started if it does not. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.driver.cancel();
    const timer = setTimeout(() => void this.#program.stop(), PROTOCOL_STOP_MS);
    void this.#program.exited.then(() => clearTimeout(timer));
  }

  /** Resolves once the process has exited. */
  get exited(): Promise<unknown> {
    return this.#program.exited;
  }

  /** Asks the agent to stop its turn and keeps it for the next one; kills it if the turn has not ended soon. */
  interrupt(turn: Promise<unknown>): void {
    this.driver.cancel();
    const timer = setTimeout(() => void this.#program.stop(), PROTOCOL_STOP_MS);
    void turn.finally(() => clearTimeout(timer));
  }

  /** Kills it with everything that it started. */
  stop(): Promise<void> {
    return this.#program.stop();
  }

  /** Resolves once the process and everything that it started are gone. */
  end(): Promise<void> {
    return this.#isCancelled ? this.#program.stop() : this.#program.finish(EXIT_MS);
  }
}
