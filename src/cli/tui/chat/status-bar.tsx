import { Box, useAnimation } from 'ink';
import { fitText } from '../../output/text-width.ts';
import type { Line } from '../parts/line.ts';
import { LinesView } from '../parts/line-view.tsx';
import { isRunning } from '../parts/run-state.ts';
import type { ChatState } from './chat-state.ts';
import { keyLine, statusLine } from './status-lines.ts';

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
}

/** The current state and the available keys. */
export function StatusBar({ state, now, width, height, remark, isWriting }: Props) {
  const isBusy = isRunning(state.run);
  // The time that has passed is shown in seconds.
  useAnimation({ interval: 1000, isActive: isBusy });
  const status = statusLine(state, now(), width);
  const said: Line =
    remark === undefined
      ? keyLine(keysFor({ isBusy, isWriting, isAsking: state.run.approvals.length > 0 }), width)
      : [{ text: fitText(remark, width), style: { tone: 'warning' } }];
  const isLow = statusRows(height) === 1;
  const lines = isLow ? [remark === undefined ? status : said] : [status, said];
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
  const escape: [string, string][] = now.isBusy ? [['Esc', 'stop']] : now.isAsking ? [['Esc', 'later']] : [];
  if (!now.isWriting) return escape;
  return [
    ...(now.isBusy ? escape : [['Enter', 'send'] satisfies [string, string]]),
    ['Alt+Enter', 'new line'],
    ['/', 'commands'],
    ['PgUp', 'back'],
    ['Ctrl+O', 'results'],
    ['Ctrl+T', 'thinking'],
    ['Ctrl+C', 'exit'],
  ];
}
