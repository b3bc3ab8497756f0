/** What a daemon does before it accepts requests, as it stands in the `daemonFile` under `starting`. */
export interface StartStep {
  text: string;
  /** How much of the step is done, in units of its own; 0 of 0 where that is not known. */
  done: number;
  total: number;
}
export type ReportStart = (step: StartStep) => void;
