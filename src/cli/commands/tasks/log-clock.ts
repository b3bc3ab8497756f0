/** Formats the times of a log: the time of day, and the day where it is another one than that of the line before. */
export class LogClock {
  readonly #utc: boolean;
  #day: string;

  constructor(now: () => Date, utc: boolean) {
    this.#utc = utc;
    this.#day = this.#dayOf(now());
  }

  /** What takes the place of the time in a line without one. */
  get indent(): string {
    return ' '.repeat(this.#utc ? 11 : 10);
  }

  /** `15:04:05`, with a Z in UTC. */
  time(at: string): string {
    const moment = new Date(at);
    return this.#utc ? `${moment.toISOString().slice(11, 19)}Z` : moment.toLocaleTimeString('sv');
  }

  /** The day of an event, if it is not that of the event before, or today for the first one. */
  newDay(at: string): string | undefined {
    const day = this.#dayOf(new Date(at));
    if (day === this.#day) return undefined;
    this.#day = day;
    return day;
  }

  #dayOf(moment: Date): string {
    return this.#utc ? moment.toISOString().slice(0, 10) : moment.toLocaleDateString('sv');
  }
}
