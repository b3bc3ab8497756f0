import { Box, useApp, useInput, useWindowSize } from 'ink';
import { useEffect, useState } from 'react';
import { exitCodes } from '../../errors/exit-codes.ts';
import { hasEnded } from '../../../contract/has-ended.ts';
import { useBatchedReducer } from '../parts/use-batched-reducer.ts';
import { useTyping } from '../parts/use-typing.ts';
import { eachKey, watchAction, type WatchAction } from './watch-keys.ts';
import { WatchScreen } from './watch-screen.tsx';
import { WatchSession, type WatchSessionParts } from './watch-session.ts';
import { emptyWatch, openApprovals, presentTask, reduceWatch, type WatchState } from './watch-state.ts';

const TICK_MS = 1000;
/** The rows of the list that are not tasks. */
const LIST_FRAME_ROWS = 4;

export interface WatchAppProps extends Omit<WatchSessionParts, 'push' | 'apply'> {
  /** The task to look into at once. */
  taskId?: string;
  /** Epoch milliseconds. */
  now: () => number;
  /** Milliseconds of a clock that only goes forward. */
  clock: () => number;
}

/** The full-screen task list of a daemon; exits with a code, or with a fatal error. */
export function WatchApp({ taskId, now, clock, ...parts }: WatchAppProps) {
  const { exit } = useApp();
  const { columns: width, rows: height } = useWindowSize();
  const { state, push, apply } = useBatchedReducer(reduceWatch, emptyWatch);
  const [session] = useState(() => new WatchSession({ ...parts, push, apply }));
  const [turn, setTurn] = useState(0);
  const time = useTime(now);
  const typing = useTyping();
  const approvals = openApprovals(state);
  const approval = approvals[turn % Math.max(1, approvals.length)];
  const id = presentTask(state);

  useEffect(() => {
    const controller = new AbortController();
    session
      .run(controller.signal)
      .catch((error: unknown) => exit(error instanceof Error ? error : new Error(String(error))));
    if (taskId !== undefined) void session.attach(taskId);
    return () => controller.abort();
  }, [session, exit, taskId]);

  const retry = async (ended: string) => {
    const created = await session.retry(ended);
    if (created !== undefined && state.attached) await session.attach(created);
  };
  const act = (action: WatchAction): void => {
    switch (action.kind) {
      case 'quit':
        return exit(exitCodes.done);
      case 'interrupt':
        return exit(exitCodes.interrupted);
      case 'attach':
        if (id !== undefined) void session.attach(id);
        return;
      case 'detach':
        return session.detach();
      case 'askCancel':
        if (hasItEnded(state, id) === false) apply({ kind: 'cancelling', id });
        return;
      case 'cancel':
        if (state.cancelling !== undefined) void session.cancel(state.cancelling);
        return apply({ kind: 'cancelling', id: undefined });
      case 'keep':
        return apply({ kind: 'cancelling', id: undefined });
      case 'retry':
        if (id !== undefined && hasItEnded(state, id)) void retry(id);
        return;
      case 'openApprovals':
        if (state.approvals.length > 0) return apply({ kind: 'approvalsOpened' });
        return apply({ kind: 'note', text: 'No pending approvals.', tone: 'muted' });
      case 'closeApprovals':
        return apply({ kind: 'later', ids: approvals.map((each) => each.id) });
      case 'nextApproval':
        return setTurn((present) => present + 1);
      case 'move':
        return apply({ kind: 'moved', by: action.by });
    }
  };
  useInput((input, key) =>
    eachKey(input, (letter) => {
      if (typing.isOn() && !(key.ctrl && letter === 'c')) return;
      const action = watchAction(state, letter, key, Math.max(1, height - LIST_FRAME_ROWS));
      if (action) act(action);
    }),
  );

  return (
    <Box width={width} height={height} flexDirection="column" overflow="hidden">
      <WatchScreen
        state={state}
        width={width}
        height={height}
        time={time}
        approvals={approvals}
        approval={approval}
        clock={clock}
        onDecide={(decision) => {
          if (approval) void session.decide(approval, decision);
        }}
        typing={typing}
      />
    </Box>
  );
}

/** Undefined where nothing is known of the task. */
function hasItEnded({ attached, tasks }: WatchState, id = ''): boolean | undefined {
  const status = tasks.get(id)?.task.status ?? (attached?.id === id ? attached.task?.status : undefined);
  return status && hasEnded({ status });
}

function useTime(now: () => number): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), TICK_MS);
    return () => clearInterval(timer);
  }, [now]);
  return time;
}
