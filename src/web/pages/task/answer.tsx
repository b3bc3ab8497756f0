import { memo, useState } from 'react';
import { escapeText } from '../../../contract/escape-text.ts';
import type { Task } from '../../../contract/task.ts';
import { counted } from '../../components/counted.ts';
import { Markdown } from '../../components/markdown.tsx';
import { isCommand } from './task-states.ts';
import styles from './task.module.css';

/** More of an answer is text, and shown when it is asked for. */
const MOST = 50_000;

/** What the agent answered; the output of a command has a place of its own. */
export function Answer({ task }: { task: Task }) {
  const { result, status, outputSchema } = task;
  const text = result?.output.trim() ?? '';
  if (text === '' || isCommand(task)) return null;
  const isClaimed = result?.verified === undefined || !result.verified;
  return (
    <section className={styles['answer']} aria-labelledby="answer">
      <h2 id="answer">{status === 'completed' ? 'Answer' : 'Last answer'}</h2>
      {isClaimed && status === 'completed' && (
        <p className={styles['remark']}>Claimed by the agent: no command verified it.</p>
      )}
      {outputSchema ? (
        <pre className={styles['pre']} tabIndex={0} role="group" aria-label="Answer as JSON">
          {escapeText(indented(text))}
        </pre>
      ) : (
        <AnswerText text={text} />
      )}
      {result?.refusedCalls && <Refused calls={result.refusedCalls} />}
    </section>
  );
}

/** A long text is read once. */
const AnswerText = memo(function AnswerText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= MOST) return <Markdown text={text} />;
  const end = text.lastIndexOf('\n\n', MOST);
  const first = text.slice(0, end > MOST / 2 ? end : MOST);
  return (
    <>
      <Markdown text={first} />
      {isWhole ? (
        <pre className={styles['pre']} tabIndex={0} role="group" aria-label="Rest of the answer">
          {escapeText(text.slice(first.length))}
        </pre>
      ) : (
        <button type="button" className="button" onClick={() => setWhole(true)}>
          Show all {counted(text.length, 'character')}
        </button>
      )}
    </>
  );
});

function Refused({
  calls: { count, calls },
}: {
  calls: NonNullable<NonNullable<Task['result']>['refusedCalls']>;
}) {
  return (
    <details className={styles['refused']}>
      <summary>{counted(count, 'call')} refused: the agent could not do everything it tried</summary>
      <ul>
        {calls.map(({ call, reason, count: times }, at) => (
          <li key={at}>
            <code>{escapeText(call)}</code>
            {times > 1 && ` (${times} times)`}: {escapeText(reason)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
