import { Box } from 'ink';
import { useRef } from 'react';
import { LinesView } from '../parts/line-view.tsx';
import type { Line } from '../parts/line.ts';
import { renderTask, renderTitles, type TaskListLook } from './render-tasks.ts';
import { windowAround } from './view-window.ts';
import type { WatchedTask } from './watched-task.ts';

interface Props {
  tasks: readonly WatchedTask[];
  height: number;
  look: TaskListLook;
}

/** The tasks, as many as fit; the selected one is always among them. */
export function TaskList({ tasks, height, look }: Props) {
  const top = useRef(0);
  const rows = Math.max(1, height - 1);
  const at = tasks.findIndex(({ task }) => task.id === look.selectedId);
  top.current = windowAround(at, tasks.length, rows, top.current);
  const lines: Line[] = [
    renderTitles(look.width),
    ...tasks.slice(top.current, top.current + rows).map((task) => renderTask(task, look)),
  ];
  return (
    <Box flexDirection="column" width={look.width} height={height} overflow="hidden" flexShrink={0}>
      <LinesView lines={lines} />
    </Box>
  );
}
