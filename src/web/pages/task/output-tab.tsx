import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { OutputName } from '../../../contract/task-output.ts';
import type { Task } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { LogView } from '../../components/log-view.tsx';
import { Problem } from '../../components/problem.tsx';
import { OutputLines } from '../../live/output-lines.ts';
import type { TaskLog } from '../../live/task-log.ts';
import styles from './task.module.css';
import { isFinished } from './task-states.ts';
import { useLog } from './use-task-log.ts';

type Shown = 'all' | OutputName;

/** What a task wrote, as it comes, and whole where the events have only its beginning. */
export function OutputTab({ task, log, line }: { task: Task; log: TaskLog; line: number | undefined }) {
  const [shown, setShown] = useState<Shown>('all');
  const version = useLog(log, (each) => each.version());
  const navigate = useNavigate();
  const { output, isComplete, problem } = log;
  const whole = useWholeOutput(task.id, shown);
  if (output.rows.length === 0) {
    if (!isComplete)
      return problem ? <Problem error={problem} /> : <Loading rows={4} label="Loading the output" />;
    return <Empty>{isFinished(task.status) ? 'It wrote nothing.' : 'What it writes appears here.'}</Empty>;
  }
  const view = shown === 'all' ? { output, version } : whole;
  const search = (number: number) => ({ tab: 'output', line: number });
  return (
    <>
      {log.isCut && shown === 'all' && (
        <p className={styles['remark']}>
          Only the first part of a very long output is here. Show one stream to see all of it.
        </p>
      )}
      {whole.problem && <Problem error={whole.problem} />}
      <LogView
        key={shown}
        output={view.output}
        version={view.version}
        label="Output"
        line={line}
        hrefOf={(number) => `/tasks/${encodeURIComponent(task.id)}?tab=output&line=${number}`}
        onLine={(number) =>
          void navigate({
            to: '/tasks/$id',
            params: { id: task.id },
            search: search(number),
            replace: true,
            resetScroll: false,
          })
        }
        startsAtEnd={task.status !== 'completed'}
        actions={
          <>
            {(output.hasStdout || output.hasStderr) && (
              <select
                aria-label="Stream"
                value={shown}
                onChange={({ target }) => setShown(target.value as Shown)}
              >
                <option value="all">All output</option>
                <option value="stdout">Whole stdout</option>
                <option value="stderr">Whole stderr</option>
              </select>
            )}
            <RawLink id={task.id} stream="stdout" label={output.hasStderr ? 'Raw stdout' : 'Raw'} />
            {output.hasStderr && <RawLink id={task.id} stream="stderr" label="Raw stderr" />}
          </>
        }
      />
    </>
  );
}

const RawLink = ({ id, stream, label }: { id: string; stream: OutputName; label: string }) => (
  <a
    className={styles['raw']}
    href={`/api/tasks/${encodeURIComponent(id)}/output?stream=${stream}`}
    download={`${id}-${stream}.txt`}
  >
    <Icon name="download" /> {label}
  </a>
);

interface WholeOutput {
  output: OutputLines;
  version: number;
  problem?: Error;
}

/** One stream from its first byte, as far as it is written. */
function useWholeOutput(id: string, stream: Shown): WholeOutput {
  const [state, setState] = useState<WholeOutput>(() => ({ output: new OutputLines(), version: 0 }));
  useEffect(() => {
    if (stream === 'all') return;
    const stopped = new AbortController();
    const output = new OutputLines();
    const set = (problem?: Error) => {
      if (!stopped.signal.aborted)
        setState(({ version }) => ({ output, version: version + 1, ...(problem && { problem }) }));
    };
    set();
    readStream({ id, stream, output, signal: stopped.signal, onPiece: set }).catch((error: unknown) =>
      set(error instanceof Error ? error : new Error(String(error))),
    );
    return () => stopped.abort();
  }, [id, stream]);
  return state;
}

interface Reading {
  id: string;
  stream: OutputName;
  output: OutputLines;
  signal: AbortSignal;
  onPiece: () => void;
}

async function readStream({ id, stream, output, signal, onPiece }: Reading): Promise<void> {
  const decoder = new TextDecoder();
  const add = (message: string) => output.add({ message, data: { stream } });
  for await (const piece of client.tasks.getOutput({ params: { id }, query: { stream } }, { signal })) {
    add(decoder.decode(piece, { stream: true }));
    onPiece();
  }
  add(decoder.decode());
  if (output.rows.length === 0) output.note(`Nothing was written to ${stream}.`);
  onPiece();
}
