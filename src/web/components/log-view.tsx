import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { OutputLines } from '../live/output-lines.ts';
import { areKeysOn } from '../shell/shortcuts.ts';
import { Icon } from './icon.tsx';
import { LogRow } from './log-line.tsx';
import { LogSearch } from './log-search.ts';
import styles from './log-view.module.css';
import { formatNumber } from './format-number.ts';

const ROW_HEIGHT = 20;
/** This close to the end counts as the end. */
const NEAR_END = ROW_HEIGHT * 2;

export interface LogViewProps {
  output: OutputLines;
  /** Counts the changes of the output. */
  version: number;
  label: string;
  /** The line that the address names. */
  line: number | undefined;
  hrefOf: (line: number) => string;
  onLine: (line: number) => void;
  /** Whether it begins at the end, and stays there while more comes. */
  startsAtEnd: boolean;
  /** At the end of the bar above it. */
  actions?: ReactNode;
}

/** Any number of lines, of which only the visible ones exist. */
export function LogView(props: LogViewProps) {
  const { output, version, label, line, hrefOf, onLine, startsAtEnd, actions } = props;
  const { rows, dropped } = output;
  const box = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const [isFollowing, setFollowing] = useState(startsAtEnd && line === undefined);
  const [isWrapped, setWrapped] = useState(() => matchMedia('(width < 48rem)').matches);
  const search = useSearch(output, version);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => index + dropped,
    overscan: 12,
    // React warns where rendering is forced while it renders.
    useFlushSync: false,
  });
  const indexOf = (number: number) => rows.findIndex((row) => row.number === number && !row.isContinued);
  const shown = useRef<number>(undefined);
  const select = (number: number) => {
    shown.current = number;
    setFollowing(false);
    onLine(number);
  };

  useEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  });
  useEffect(() => virtual.measure(), [isWrapped, virtual]);
  // A line that the address names is shown once it is there.
  useEffect(() => {
    if (line === undefined || shown.current === line) return;
    const row = indexOf(line);
    if (row < 0) return;
    shown.current = line;
    setFollowing(false);
    virtual.scrollToIndex(row, { align: 'center' });
  }, [line, version]);

  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current ?? document.documentElement;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) setFollowing(true);
    else if (scrollTop < lastTop.current - 1) setFollowing(false);
    lastTop.current = scrollTop;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { j: 1, k: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || !areKeysOn()) return;
    const first = virtual.getVirtualItems().find(({ index }) => (rows[index]?.number ?? 0) > 0);
    const next = line === undefined ? rows[first?.index ?? 0]?.number : line + step;
    if (next === undefined || indexOf(next) < 0) return;
    event.preventDefault();
    select(next);
    virtual.scrollToIndex(indexOf(next));
  };
  const goToMatch = (step: 1 | -1) => {
    const row = search.go(step);
    const number = row === undefined ? undefined : rows[row]?.number;
    if (row === undefined || number === undefined) return;
    select(number);
    virtual.scrollToIndex(row, { align: 'center' });
  };
  const matches = useMemo(() => new Set(search.matches), [search.matches]);
  const digits = String(output.count).length;
  return (
    <div className={styles['log']}>
      <div className={styles['bar']}>
        <SearchField search={search} onGo={goToMatch} />
        <div className={styles['actions']}>
          <label className={styles['wrap']}>
            <input
              type="checkbox"
              checked={isWrapped}
              onChange={({ target }) => setWrapped(target.checked)}
            />
            Wrap
          </label>
          {actions}
        </div>
      </div>
      <div className={styles['frame']}>
        <div
          ref={box}
          className={styles['box']}
          data-wrap={isWrapped || undefined}
          style={{ '--digits': `${digits}ch` } as object}
          onScroll={onScroll}
          onKeyDown={onKeyDown}
          role="region"
          aria-label={label}
          tabIndex={0}
        >
          {dropped > 0 && (
            <p className={styles['dropped']}>
              Earlier lines are not kept on this page. The raw output has all.
            </p>
          )}
          <div role="list" className={styles['all']} style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start, key }) => {
              const row = rows[index];
              if (!row) return null;
              return (
                <LogRow
                  key={key}
                  line={row}
                  index={index}
                  count={rows.length}
                  top={start}
                  isSelected={row.number === line && !row.isContinued}
                  isMatch={matches.has(index)}
                  href={hrefOf(row.number)}
                  onSelect={select}
                  measure={isWrapped ? virtual.measureElement : undefined}
                />
              );
            })}
          </div>
        </div>
        {!isFollowing && virtual.getTotalSize() > (virtual.scrollRect?.height ?? 0) && (
          <button type="button" className={`button ${styles['jump']}`} onClick={() => setFollowing(true)}>
            <Icon name="arrow-down" /> Jump to end
          </button>
        )}
      </div>
    </div>
  );
}

interface Search {
  words: string;
  setWords: (words: string) => void;
  /** Rows that match. */
  matches: readonly number[];
  /** Which of them was gone to last; -1 before. */
  at: number;
  go: (step: 1 | -1) => number | undefined;
}

function useSearch(output: OutputLines, version: number): Search {
  const [words, setWords] = useState('');
  const [at, setAt] = useState(-1);
  const search = useMemo(() => (words === '' ? undefined : new LogSearch(words)), [words, output]);
  const matches = useMemo(() => search?.update(output) ?? [], [search, output, version]);
  return {
    words,
    setWords(next) {
      setWords(next);
      setAt(-1);
    },
    matches,
    at,
    go(step) {
      if (matches.length === 0) return undefined;
      const next =
        at < 0 ? (step > 0 ? 0 : matches.length - 1) : (at + step + matches.length) % matches.length;
      setAt(next);
      return matches[next];
    },
  };
}

function SearchField({ search, onGo }: { search: Search; onGo: (step: 1 | -1) => void }) {
  const { words, setWords, matches, at } = search;
  return (
    <div className={styles['search']} role="search">
      <input
        type="search"
        aria-label="Search the output"
        placeholder="Search"
        value={words}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={({ key, shiftKey }) => key === 'Enter' && onGo(shiftKey ? -1 : 1)}
      />
      {words !== '' && (
        <>
          <span className="muted" role="status">
            {matches.length === 0
              ? 'No match'
              : `${at < 0 ? '' : `${at + 1} of `}${formatNumber(matches.length)}`}
          </span>
          <button
            type="button"
            className="button quiet icon"
            aria-label="Previous match"
            disabled={matches.length === 0}
            onClick={() => onGo(-1)}
          >
            <Icon name="arrow-up" />
          </button>
          <button
            type="button"
            className="button quiet icon"
            aria-label="Next match"
            disabled={matches.length === 0}
            onClick={() => onGo(1)}
          >
            <Icon name="arrow-down" />
          </button>
        </>
      )}
    </div>
  );
}
