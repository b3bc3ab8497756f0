/** A time limit in its largest whole unit: 3 min, 90 s, 1.5 s. */
export const formatLimit = (ms: number): string =>
  ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
