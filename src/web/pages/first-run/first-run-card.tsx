import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ActButton } from '../../components/act-button.tsx';
import { tasksQuery } from '../../queries/tasks.ts';
import { completeFirstRun } from './complete-first-run.ts';
import styles from './first-run.module.css';

/** Offers the first steps to an administrator, unless svc has tasks already. */
export function FirstRunCard() {
  const tasks = useInfiniteQuery(tasksQuery({}, 1));
  if (tasks.data?.pages[0]?.total !== 0) return null;
  return (
    <section className={`card ${styles['invitation']}`} aria-labelledby="first-run">
      <h2 id="first-run">Welcome to svc</h2>
      <p>
        Three steps to the first task: connect a model or use a coding agent, choose a folder, say what to do.
      </p>
      <div className={styles['buttons']}>
        <Link to="/first-run" className="button primary">
          Set up svc
        </Link>
        <ActButton run={completeFirstRun} className="quiet">
          Not now
        </ActButton>
      </div>
    </section>
  );
}
