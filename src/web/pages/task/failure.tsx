import { Link } from '@tanstack/react-router';
import type { Task } from '../../../contract/task.ts';
import { visibleText } from '../../../contract/visible-text.ts';
import { Icon } from '../../components/icon.tsx';
import { failureAdvice } from './failure-advice.ts';
import styles from './task.module.css';

const places = {
  timeline: 'Show the timeline',
  output: 'Show the output',
  checks: 'Show the checks',
  changes: 'Show the changes',
  trace: 'Show the trace',
  candidates: 'Show the candidates',
};

/** Why a task failed, and what to do about it. */
export function Failure({ task: { id, error } }: { task: Task }) {
  if (!error) return null;
  // A newer daemon may know more classes.
  const { name, next, tab } = failureAdvice[error.class] ?? failureAdvice.unknown;
  return (
    <section className={styles['failure']} aria-labelledby="failure">
      <Icon name="circle-x" size={18} />
      <div>
        <h2 id="failure">{name}</h2>
        <p className={styles['sentence']}>{visibleText(error.message)}</p>
        <p>
          {next}{' '}
          {tab && (
            <Link to="/tasks/$id" params={{ id }} search={{ tab }} resetScroll={false}>
              {places[tab]}
            </Link>
          )}
        </p>
        <p className={styles['code']}>{`${error.class} · ${error.code}`}</p>
      </div>
    </section>
  );
}
