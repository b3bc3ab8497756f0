import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import type { DayChartProps } from './day-series.ts';
import { formatDay } from './format-day.ts';
import styles from './insights.module.css';
import { colorOf, useTheme } from './use-theme.ts';

const HEIGHT = 180;
const DAY_S = 86_400;
/** Between the lines of what has no halves, such as tasks. */
const wholeSteps = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

/** Draws the values of days, and says those under the pointer. */
export function Plot({ title, kind, isWhole = false, days, series, format }: DayChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [at, setAt] = useState<number>();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const muted = colorOf(element, 'text-muted');
    const grid = { stroke: colorOf(element, 'border'), width: 1 };
    const isBars = kind === 'bars';
    const bars = UPlot.paths.bars?.({ size: [0.7, 28], radius: 0.15 });
    // Bars are stacked: the first series is painted last, in front of the sums.
    const drawn = isBars ? series.toReversed() : series;
    const font = `12px ${getComputedStyle(element).fontFamily}`;
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'UTC'),
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: !isBars } },
        scales: {
          // Half a day on each side, so that the first and the last bar are whole.
          x: { range: (_plot, min, max) => [min - DAY_S / 2, max + DAY_S / 2] },
          y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
        },
        series: [
          {},
          ...drawn.map(({ color }) => {
            const stroke = colorOf(element, color);
            return isBars && bars
              ? { stroke, fill: stroke, width: 0, paths: bars, points: { show: false } }
              : { stroke, width: 2, spanGaps: true, points: { size: 5, fill: stroke } };
          }),
        ],
        axes: [
          {
            stroke: muted,
            font,
            grid: { show: false },
            ticks: { show: false },
            gap: 10,
            size: 32,
            space: 70,
            incrs: [1, 2, 7, 14, 30, 61, 91].map((count) => count * DAY_S),
            values: (_plot, splits) => splits.map((seconds) => formatDay(seconds * 1000)),
          },
          {
            stroke: muted,
            font,
            grid,
            ticks: { show: false },
            size: 56,
            ...(isWhole && { incrs: wholeSteps }),
            values: (_plot, splits) => splits.map((value) => format(value)),
          },
        ],
        hooks: { setCursor: [({ cursor: { idx } }) => setAt(idx ?? undefined)] },
      },
      [
        days.map(({ date }) => Date.parse(date) / 1000),
        ...drawn.map(({ of }, index) =>
          days.map((day) =>
            isBars
              ? drawn.slice(index).reduce((sum, { of: each }) => sum + (each(day) ?? 0), 0)
              : (of(day) ?? null),
          ),
        ),
      ],
      element,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [kind, isWhole, days, series, format, theme]);
  const day = at === undefined ? undefined : days[at];
  const said = day
    ? `${formatDay(day.date)}: ${series
        .map(({ name, of }) => `${name.toLowerCase()} ${of(day) === undefined ? '–' : format(of(day) ?? 0)}`)
        .join(', ')}`
    : '';
  return (
    <>
      <div
        ref={box}
        className={styles['plot']}
        role="img"
        aria-label={`${title}, from ${formatDay(days[0]?.date ?? 0)} to ${formatDay(days.at(-1)?.date ?? 0)}. The table below has the numbers.`}
      />
      <p className={styles['said']} aria-hidden>
        {said}
      </p>
    </>
  );
}
