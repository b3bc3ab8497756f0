import { Box } from 'ink';
import type { Approval, DecideApproval } from '../../../contract/approvals.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { ApprovalBar, approvalRows } from '../parts/approval-bar.tsx';
import type { Line } from '../parts/line.ts';
import { LinesView, LineView } from '../parts/line-view.tsx';
import type { Typing } from '../parts/use-typing.ts';
import { renderHeader, renderKeys } from './render-status.ts';
import { RunPane } from './run-pane.tsx';
import { TaskList } from './task-list.tsx';
import { keyHints } from './watch-keys.ts';
import { openApprovals, presentTask, type WatchState } from './watch-state.ts';
import { inOrder } from './watched-task.ts';

/** From this width on, the list stays next to the open task. */
const WIDE = 140;
const LIST_SHARE = 0.38;
/** The header and the keys. */
const FRAME_ROWS = 2;
/** Who asks, above the bar. */
const ASKER_ROWS = 1;

interface Props {
  state: WatchState;
  width: number;
  height: number;
  /** Epoch milliseconds. */
  time: number;
  approvals: readonly Approval[];
  approval: Approval | undefined;
  /** Milliseconds of a clock that only goes forward. */
  clock: () => number;
  onDecide: (decision: DecideApproval) => void;
  typing: Typing;
}

/** Everything that is on the screen. */
export function WatchScreen(props: Props) {
  const { state, width, height, time, approvals, approval, clock, onDecide, typing } = props;
  const most = Math.max(4, Math.floor((height - FRAME_ROWS) * 0.6));
  const barRows = approval ? Math.min(approvalRows(approval, width) + ASKER_ROWS, most) : 0;
  return (
    <>
      <LineView line={renderHeader(state, width)} />
      <Body state={state} width={width} height={Math.max(1, height - FRAME_ROWS - barRows)} time={time} />
      {approval && (
        <>
          <LineView line={askerLine(state, approval, width)} />
          <ApprovalBar
            key={approval.id}
            approval={approval}
            waiting={approvals.length}
            width={width}
            height={barRows - ASKER_ROWS}
            now={clock}
            onDecide={onDecide}
            typing={typing}
          />
        </>
      )}
      <LineView line={footer(state, width)} />
    </>
  );
}

function Body({ state, width, height, time }: Pick<Props, 'state' | 'width' | 'height' | 'time'>) {
  const { attached, tasks, approvals, isLoaded } = state;
  const askingIds = new Set(approvals.map(({ taskId }) => taskId));
  const isWide = width >= WIDE;
  const listWidth = attached && isWide ? Math.floor(width * LIST_SHARE) : width;
  const runWidth = isWide ? width - listWidth - 2 : width;
  const look = {
    width: attached && isWide ? listWidth - 1 : listWidth,
    now: time,
    selectedId: presentTask(state),
    askingIds,
  };
  return (
    <Box height={height} flexShrink={0} overflow="hidden">
      {(!attached || isWide) &&
        (tasks.size === 0 && isLoaded ? (
          <Box width={listWidth} flexDirection="column">
            <LinesView lines={emptyLines} />
          </Box>
        ) : (
          <TaskList tasks={inOrder(tasks)} height={height} look={look} />
        ))}
      {attached && isWide && <Rule height={height} />}
      {attached && (
        <RunPane
          key={attached.id}
          attached={attached}
          width={runWidth}
          height={height}
          time={time}
          isAsking={askingIds.has(attached.id)}
          isActive={state.cancelling === undefined && openApprovals(state).length === 0}
        />
      )}
    </Box>
  );
}

const Rule = ({ height }: { height: number }) => (
  <Box width={2} flexDirection="column" flexShrink={0}>
    <LinesView
      lines={Array.from({ length: height }, (): Line => [{ text: '│', style: { tone: 'muted' } }])}
    />
  </Box>
);

const emptyLines: Line[] = [
  [],
  [{ text: '  No tasks yet. Run one: ' }, { text: 'svc run "What to do"', style: { tone: 'code' } }],
];

function askerLine({ tasks }: WatchState, { taskId, conversationId = '' }: Approval, width: number): Line {
  const title = taskId === undefined ? undefined : tasks.get(taskId)?.task.title;
  const who = title === undefined ? (taskId ?? conversationId) : `${title} (${taskId ?? ''})`;
  return [{ text: fitText(`  asked by ${escapeLine(who)}`, width), style: { tone: 'muted' } }];
}

function footer(state: WatchState, width: number): Line {
  const { cancelling, note, tasks } = state;
  if (cancelling !== undefined) {
    const title = escapeLine(tasks.get(cancelling)?.task.title ?? cancelling);
    const question = `Cancel "${fitText(title, Math.max(8, width - 30))}"?  `;
    return [
      { text: question, style: { tone: 'warning' } },
      ...renderKeys(
        [
          ['y', 'yes'],
          ['n', 'no'],
        ],
        width,
      ),
    ];
  }
  if (!note) return renderKeys(keyHints(state), width);
  const text = fitText(escapeLine(note.text), width);
  const keys = renderKeys(keyHints(state), width - textWidth(text) - 3);
  return [{ text: `${text}   `, style: { tone: note.tone } }, ...keys];
}
