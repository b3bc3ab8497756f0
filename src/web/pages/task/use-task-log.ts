import { useEffect, useState, useSyncExternalStore } from 'react';
import { client } from '../../client.ts';
import { live } from '../../live/live-feed.ts';
import { TaskLog, type TaskLogSource } from '../../live/task-log.ts';

/** The most events of one reading; the daemon sends fewer where they are large. */
const PAGE = 5000;

/** More pictures a second of a long output would be more work than anybody sees. */
const SPACE_MS = 80;

/** Calls back before the next frame, and not sooner than some time after the call before. */
function spacedFrames(): TaskLogSource['onFrame'] {
  let last = 0;
  return (callback) => {
    let frame: number | undefined;
    const draw = () => {
      frame = requestAnimationFrame(() => {
        last = performance.now();
        callback();
      });
    };
    const timer = setTimeout(draw, Math.max(0, last + SPACE_MS - performance.now()));
    return () => {
      clearTimeout(timer);
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  };
}

const sourceOf = (id: string): TaskLogSource => ({
  read: (after) => client.tasks.listEvents({ params: { id }, query: { after, limit: PAGE } }),
  readOutput: (stream, offset, signal) =>
    client.tasks.getOutput({ params: { id }, query: { stream, offset } }, { signal }),
  onMessage(listener) {
    const stop = live.onMessage(listener);
    const unwatch = live.watchTask(id);
    return () => {
      unwatch();
      stop();
    };
  },
  onFrame: spacedFrames(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
});

/** The log of a task, followed as long as the component is there; it is made anew for another task. */
export function useTaskLog(id: string): TaskLog {
  const [log] = useState(() => new TaskLog(id, sourceOf(id)));
  useEffect(() => log.follow(), [log]);
  return log;
}

/** Something of a log; renders again where it is another after a change, at most once a frame. */
export const useLog = <T extends string | number | boolean | undefined>(
  log: TaskLog,
  read: (log: TaskLog) => T,
): T => useSyncExternalStore(log.subscribe, () => read(log));
