import { Box, useAnimation } from 'ink';
import { fitText, textWidth } from '../../output/text-width.ts';
import type { Line } from '../parts/line.ts';
import { LinesView } from '../parts/line-view.tsx';
import { isRunning } from '../parts/run-state.ts';
import type { ChatState } from './chat-state.ts';
import { keyLine, placeLine, placeText, statusLine } from './status-lines.ts';

/** A screen that is lower has no row for the keys. */
const LOW = 10;

/** How many rows the status takes. */
export const statusRows = (height: number): number => (height < LOW ? 1 : 2);

interface Props {
  state: ChatState;
  now: () => number;
  width: number;
  height: number;
  /** A remark shown instead of the keys. */
  remark: string | undefined;
  isWriting: boolean;
  /** The working directory. */
  place: { folder: string; home: string; branch: string | undefined };
}

/** The current state and the available keys. */
export function StatusBar({ state, now, width, height, remark, isWriting, place }: Props) {
  const isBusy = isRunning(state.run);
  // The time that has passed is shown in seconds.
  useAnimation({ interval: 1000, isActive: isBusy });
  const isLow = statusRows(height) === 1;
  const where = placeText(place, Math.floor(width / (isLow ? 3 : 2)));
  const room = width - textWidth(where) - 2;
  const isAsking = state.run.approvals.length > 0;
  const keys = keysFor({ isBusy: isBusy || state.shell !== undefined, isWriting, isAsking });
  const status = statusLine(state, now(), isLow ? room : width);
  const said: Line | undefined =
    remark === undefined ? undefined : [{ text: fitText(remark, width), style: { tone: 'warning' } }];
  // A long remark takes the row of the status, so that the directory stays in view.
  const isLong = remark !== undefined && textWidth(remark) > room;
  const left = isLow ? status : said && !isLong ? said : keyLine(keys, room);
  const last = placeLine(left, where, width);
  const lines = isLow ? [said ?? last] : [said && isLong ? said : status, last];
  return (
    <Box flexDirection="column" flexShrink={0}>
      <LinesView lines={lines} />
    </Box>
  );
}

function keysFor(now: {
  isBusy: boolean;
  isWriting: boolean;
  isAsking: boolean;
}): [key: string, meaning: string][] {
  const escape: [string, string][] = now.isBusy
    ? [['Esc', 'interrupt']]
    : now.isAsking
      ? [['Esc', 'later']]
      : [];
  if (!now.isWriting) return escape;
  return [
    ...escape,
    ['Enter', now.isBusy ? 'queue' : 'send'],
    ['/', 'commands'],
    ['@', 'files'],
    ['!', 'shell'],
    ['Ctrl+R', 'history'],
    ['PgUp', 'back'],
    ['Ctrl+O', 'results'],
    ['Ctrl+T', 'thinking'],
    ['Ctrl+C', 'exit'],
  ];
}
