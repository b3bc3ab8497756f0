import type { Span, Telemetry } from '../../telemetry/telemetry.ts';

/** The span of the current step of a run: its model call and the calls of tools that follow are below it. */
export class StepTrace {
  readonly #telemetry: Telemetry | undefined;
  #span: Span | undefined;

  constructor(telemetry: Telemetry | undefined) {
    this.#telemetry = telemetry;
  }

  /** Ends the step before, if any. */
  begin(step: number): void {
    this.end();
    this.#span = this.#telemetry?.startSpan('step', { attributes: { 'svc.step': step } });
  }

  within<T>(work: () => Promise<T>): Promise<T> {
    return this.#telemetry && this.#span ? this.#telemetry.within(this.#span, work) : work();
  }

  end(error?: string): void {
    this.#span?.end(error);
    this.#span = undefined;
  }
}
