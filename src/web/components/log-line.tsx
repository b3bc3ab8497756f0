import { memo, type MouseEvent, type Ref } from 'react';
import type { LogLine } from '../live/output-lines.ts';
import { ansiParts, isOverwritten } from './ansi.ts';
import styles from './log-view.module.css';

export interface LogLineProps {
  line: LogLine;
  /** Its row among all, from 0. */
  index: number;
  count: number;
  top: number;
  isSelected: boolean;
  isMatch: boolean;
  /** The address of the line. */
  href: string;
  onSelect: (number: number) => void;
  /** Measures the height of a row that wraps. */
  measure?: Ref<HTMLDivElement> | undefined;
}

/** One row of output with the number of its line, which is a link to it. */
export const LogRow = memo(function LogRow(props: LogLineProps) {
  const { line, index, count, top, isSelected, isMatch, href, onSelect, measure } = props;
  const { number, stream, isContinued, text } = line;
  const select = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onSelect(number);
  };
  return (
    <div
      ref={measure}
      role="listitem"
      aria-setsize={count}
      aria-posinset={index + 1}
      aria-current={isSelected ? 'location' : undefined}
      className={styles['line']}
      data-index={index}
      data-stream={stream}
      data-match={isMatch || undefined}
      style={{ transform: `translateY(${top}px)` }}
    >
      {stream === 'note' || isContinued ? (
        <span className={styles['number']} />
      ) : (
        <a
          className={styles['number']}
          href={href}
          tabIndex={-1}
          data-number={number}
          aria-label={`Line ${number}`}
          onClick={select}
        />
      )}
      <span className={styles['text']}>
        {stream === 'stderr' && !isContinued && <span className="visually-hidden">stderr: </span>}
        {isOverwritten(text) && (
          <span
            className={styles['overwritten']}
            title="This line was written over. The raw output has all of it."
          >
            ↩{' '}
          </span>
        )}
        <AnsiText text={text} />
      </span>
    </div>
  );
});

/** The text of a program with its colors. */
export function AnsiText({ text }: { text: string }) {
  return ansiParts(text).map(({ text: part, colors }, at) =>
    colors.length === 0 ? (
      part
    ) : (
      <span key={at} className={colors.map((name) => styles[name] ?? '').join(' ')}>
        {part}
      </span>
    ),
  );
}
