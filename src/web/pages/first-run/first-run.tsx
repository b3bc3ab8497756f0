import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { adminOf, sessionQuery } from '../../queries/session.ts';
import { completeFirstRun } from './complete-first-run.ts';
import { FolderStep } from './folder-step.tsx';
import { ModelStep } from './model-step.tsx';
import { TaskStep } from './task-step.tsx';
import styles from './first-run.module.css';

const route = getRouteApi('/first-run');
const names = ['A model', 'A folder', 'The first task'];

/** From an empty svc to the first task, in three steps of which each can be skipped. */
export function FirstRunPage() {
  const { step = 1 } = route.useSearch();
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const [folder, setFolder] = useState('');
  const go = (next: 2 | 3) => void navigate({ to: '/first-run', search: { step: next } });
  const finish = async () => {
    await completeFirstRun();
    await navigate({ to: '/' });
  };
  const isAdmin = adminOf(session) !== undefined;
  const [problem, setProblem] = useState<Error>();
  return (
    <Page
      title="Set up svc"
      note={`Step ${step} of 3`}
      isNarrow
      actions={
        <button
          type="button"
          className="button quiet"
          onClick={() => void finish().catch((error: unknown) => setProblem(error as Error))}
        >
          Skip setup
        </button>
      }
    >
      <ol className={styles['steps']} aria-label="Steps">
        {names.map((name, at) => (
          <li key={name} aria-current={at + 1 === step ? 'step' : undefined}>
            {at + 1}. {name}
          </li>
        ))}
      </ol>
      {problem && <Problem error={problem} />}
      <section className={`card ${styles['step']}`} aria-label={names[step - 1]}>
        {!isAdmin && step < 3 ? (
          <>
            <p>Only administrators of this daemon connect models and choose folders.</p>
            <button type="button" className="button" onClick={() => go(3)}>
              Go to the first task
            </button>
          </>
        ) : step === 1 ? (
          <ModelStep onNext={() => go(2)} />
        ) : step === 2 ? (
          <FolderStep
            folder={folder}
            onNext={(chosen) => {
              setFolder(chosen);
              go(3);
            }}
          />
        ) : (
          <TaskStep folder={folder} onSkip={finish} />
        )}
      </section>
    </Page>
  );
}
