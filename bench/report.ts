import { cpus, totalmem } from 'node:os';

/** One measured figure beside what it is held against. */
export interface Figure {
  name: string;
  /** The medians, with their unit. */
  ours: string;
  baseline: string;
  /** Ours by the baseline, or the figure itself where it has a bound of its own. */
  value: number;
  bound: { least: number } | { most: number };
  note?: string;
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
};

export const percentile = (values: number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

export const holds = ({ value, bound }: Figure): boolean =>
  'least' in bound ? value >= bound.least : value <= bound.most;

const boundText = (bound: Figure['bound']) => ('least' in bound ? `≥ ${bound.least}` : `≤ ${bound.most}`);

const round = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(2));

/** The figures as a Markdown table. */
export function toMarkdown(figures: Figure[]): string {
  const rows = figures.map(
    (figure) =>
      `| ${figure.name} | ${figure.ours} | ${figure.baseline} | ${round(figure.value)} | ${boundText(figure.bound)} | ${holds(figure) ? 'yes' : '**no**'} | ${figure.note ?? ''} |`,
  );
  return [
    '| what | svc | beside it | figure | bound | holds | |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** The machine in words, because the absolute figures are its own. */
export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}, ${process.platform}`;
