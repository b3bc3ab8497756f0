import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Task } from '../../../contract/task.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Problem } from '../../components/problem.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { approvalsQuery } from '../../queries/approvals.ts';
import { taskQuery } from '../../queries/tasks.ts';
import { isCommand } from '../task/task-states.ts';
import { LastRows } from '../task/timeline/last-rows.tsx';
import { ActionButton } from './action-button.tsx';
import { useLastEvents } from './last-events.ts';
import { useNeedsYou } from '../../components/use-needs-you.ts';
import { PeekFacts } from './peek-facts.tsx';
import styles from './peek.module.css';
import { formatNumber } from '../../components/format-number.ts';

export interface PeekProps {
  id: string;
  /** Whether it covers the list. */
  isAlone: boolean;
  onClose: () => void;
  /** Shows another task instead. */
  onShow: (id: string) => void;
}

/** A task beside the list: what came of it, what it does, and what can be done with it. */
export function Peek({ id, isAlone, onClose, onShow }: PeekProps) {
  const { data: task, error, refetch } = useQuery(taskQuery(id));
  const needsYou = useNeedsYou();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isAlone) heading.current?.focus();
  }, [isAlone, id]);
  return (
    <section className={styles['peek']} aria-labelledby="peek-title">
      <header className={styles['head']}>
        {task && <StatusBadge status={task.status} note={noteOf(task)} needsYou={needsYou.has(id)} />}
        <Link className="button quiet" to="/tasks/$id" params={{ id }}>
          Open page
        </Link>
        <button type="button" className="button quiet icon" aria-label="Close" onClick={onClose}>
          <Icon name="x" />
        </button>
      </header>
      <div className={styles['body']} tabIndex={0} role="group" aria-label="Details of the task">
        <h2 id="peek-title" ref={heading} tabIndex={-1}>
          {task ? visibleLine(task.title) : 'Task'}
        </h2>
        {error && !task && <Problem error={error} onRetry={() => void refetch()} />}
        {!task && !error && <Loading rows={6} />}
        {task && <PeekBody task={task} onShow={onShow} />}
      </div>
    </section>
  );
}

function PeekBody({ task, onShow }: { task: Task; onShow: (id: string) => void }) {
  const { id, result, error, prompt, outputSchema } = task;
  return (
    <>
      <div className={styles['actions']}>
        <ActionButton task={task} onRetried={onShow} />
      </div>
      <WaitingApproval id={id} />
      {error && (
        <div className="problem">
          <p>{visibleText(error.message)}</p>
          <p className="muted">Failure: {error.class.replaceAll('_', ' ')}</p>
        </div>
      )}
      {result && result.output !== '' && (
        <LongText
          title="Answer"
          text={result.output}
          id={id}
          isMarkdown={!isCommand(task) && !outputSchema}
        />
      )}
      <PeekFacts task={task} />
      <LastEvents id={id} />
      {prompt && <LongText title="Prompt" text={prompt} id={id} />}
    </>
  );
}

function WaitingApproval({ id }: { id: string }) {
  const { data: approvals = [] } = useQuery(approvalsQuery);
  const approval = approvals.find(({ taskId }) => taskId === id);
  if (!approval) return null;
  return (
    <p className={styles['waiting']}>
      <Icon name="shield-question-mark" />
      <span>
        Needs you: <code>{visibleLine(approval.toolName)}</code>
      </span>
      <Link to="/approvals/$id" params={{ id: approval.id }}>
        Decide
      </Link>
    </p>
  );
}

interface LongTextProps {
  title: string;
  text: string;
  id: string;
  isMarkdown?: boolean;
}

/** Longer texts are on the page of the task, where they are searched and wrapped. */
const LONGEST = 4000;

function LongText({ title, text, id, isMarkdown = false }: LongTextProps) {
  const isCut = text.length > LONGEST;
  const shown = isCut ? text.slice(0, LONGEST) : text;
  return (
    <section className={styles['section']}>
      <h3>{title}</h3>
      {isMarkdown ? (
        <Markdown text={shown} level={3} />
      ) : (
        <pre className={styles['text']}>{visibleText(shown)}</pre>
      )}
      {isCut && (
        <Link to="/tasks/$id" params={{ id }}>
          Show all {formatNumber(text.length)} characters
        </Link>
      )}
    </section>
  );
}

function LastEvents({ id }: { id: string }) {
  const { data, error, refetch } = useLastEvents(id);
  return (
    <section className={styles['section']}>
      <h3>Last events</h3>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {data && <LastRows timeline={data.timeline} count={6} />}
    </section>
  );
}

function noteOf({ held, result }: Task): string | undefined {
  if (held) return 'on hold';
  if (result?.verified === undefined) return undefined;
  return result.verified ? 'verified' : 'not verified';
}
