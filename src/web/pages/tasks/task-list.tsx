import { useElementScrollRestoration } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { ListedTask } from '../../../contract/task.ts';
import { Problem } from '../../components/problem.tsx';
import type { TaskFilter } from '../../queries/tasks.ts';
import { useNeedsYou } from '../../components/use-needs-you.ts';
import { useListKeys } from './list-keys.ts';
import { ListItem } from './list-item.tsx';
import type { Selection } from './selection.ts';
import { useBlocks } from './task-blocks.ts';
import { useGrowingCount } from './use-growing-count.ts';
import styles from './task-list.module.css';

/** Below this width a row has two lines. The same is in task-row.module.css. */
const NARROW_PX = 544;
const ROW_PX = 44;
const TWO_LINES_PX = 56;
const SCROLL_ID = 'tasks';

type Listed = ListedTask | undefined;

export interface TaskListProps {
  filter: TaskFilter;
  total: number;
  peek: string | undefined;
  onOpen: (event: MouseEvent, id: string) => void;
  /** Another row is the current one, which is shown beside the list if one is. */
  onMove: (id: string) => void;
  onClose: () => void;
  selection: Selection;
}

/** All tasks that match, of which only the visible rows exist. */
export function TaskList({ filter, total, peek, onOpen, onMove, onClose, selection }: TaskListProps) {
  const box = useRef<HTMLDivElement>(null);
  const needsYou = useNeedsYou();
  const height = useWidth(box) < NARROW_PX ? TWO_LINES_PX : ROW_PX;
  const rowHeight = useRef(height);
  const restored = useElementScrollRestoration({ id: SCROLL_ID });
  const { count, reach } = useGrowingCount(filter, total);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight.current,
    overscan: 5,
    initialOffset: restored?.scrollY ?? 0,
  });
  useLayoutEffect(() => {
    if (rowHeight.current === height) return;
    rowHeight.current = height;
    rows.measure();
  }, [rows, height]);

  const items = rows.getVirtualItems();
  const start = items[0]?.index ?? 0;
  const end = items.at(-1)?.index ?? 0;
  const { taskAt, atLeast, error, retry } = useBlocks(filter, { start, end, total });
  useLayoutEffect(() => reach(atLeast), [reach, atLeast]);
  useAnchor(box, { start, height, taskAt });

  /** The row that takes the focus as soon as it is there. */
  const wanted = useRef<number>(undefined);
  const current = useRef(-1);
  const indexOfFocus = () => {
    const row = document.activeElement?.closest<HTMLElement>('[data-row]');
    return row && box.current?.contains(row) ? Number(row.dataset['row']) : undefined;
  };
  const currentIndex = () => {
    const isVisible = items.some(({ index }) => index === current.current);
    return indexOfFocus() ?? (isVisible ? current.current : -1);
  };
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const link = box.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] a`);
    if (!link) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  });
  useListKeys({
    move: (to) => {
      const from = currentIndex();
      const top = rows.scrollOffset ?? 0;
      const next =
        to === 'first' ? 0 : to === 'last' ? count - 1 : from < 0 ? Math.ceil(top / height) : from + to;
      const index = Math.max(0, Math.min(count - 1, next));
      current.current = index;
      wanted.current = index;
      rows.scrollToIndex(index);
      const link = box.current?.querySelector<HTMLElement>(`[data-row="${index}"] a`);
      link?.focus({ preventScroll: true });
      if (link) wanted.current = undefined;
      const task = taskAt(index);
      if (task) onMove(task.id);
    },
    select: () => {
      const task = taskAt(currentIndex());
      if (task) selection.toggle(task);
    },
    close: onClose,
  });

  const keys = new Set<string>();
  return (
    <>
      {error && <Problem error={error} onRetry={retry} />}
      <div
        ref={box}
        className={styles['box']}
        data-scroll-restoration-id={SCROLL_ID}
        role="region"
        aria-label="List of tasks"
        tabIndex={0}
      >
        <ul className={styles['list']} style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, start: top, size }) => {
            const task = taskAt(index);
            return (
              <ListItem
                key={keyOf(task, index, keys)}
                index={index}
                top={top}
                size={size}
                total={count}
                task={task}
                isOpen={task !== undefined && task.id === peek}
                needsYou={task !== undefined && needsYou.has(task.id)}
                isSelected={task !== undefined && selection.tasks.has(task.id)}
                onOpen={onOpen}
                onToggle={selection.toggle}
              />
            );
          })}
        </ul>
      </div>
    </>
  );
}

/** The width of an element. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(NARROW_PX);
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return;
    const observer = new ResizeObserver(() => setWidth(measured.clientWidth));
    observer.observe(measured);
    setWidth(measured.clientWidth);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** For a moment two parts may hold the same task: one was read before it moved, and one after. */
function keyOf(task: ListedTask | undefined, index: number, used: Set<string>): string {
  const key = task && !used.has(task.id) ? task.id : `row ${index}`;
  used.add(key);
  return key;
}

/** How far a row is looked for after the list has changed. */
const MOVED_AT_MOST = 200;

/** New tasks come above: who has scrolled down keeps seeing the same rows. */
function useAnchor(
  box: RefObject<HTMLDivElement | null>,
  { start, height, taskAt }: { start: number; height: number; taskAt: (index: number) => Listed },
): void {
  const seen = useRef<{ index: number; id: string }>(undefined);
  useLayoutEffect(() => {
    const before = seen.current;
    const element = box.current;
    const there = before && taskAt(before.index);
    if (element && before && there && there.id !== before.id && element.scrollTop > 0) {
      const by = movedBy(before, taskAt);
      element.scrollTop += by * height;
    }
    const anchor = taskAt(start);
    seen.current = anchor && { index: start, id: anchor.id };
  });
}

function movedBy({ index, id }: { index: number; id: string }, taskAt: (index: number) => Listed): number {
  for (let by = 1; by <= MOVED_AT_MOST; by++) {
    if (taskAt(index + by)?.id === id) return by;
    if (taskAt(index - by)?.id === id) return -by;
  }
  return 0;
}
