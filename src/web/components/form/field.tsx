import { createContext, type ReactNode, use, useId } from 'react';
import type { FieldProblems } from './field-problems.ts';
import styles from './form.module.css';

/** What is wrong with the fields of the form around. */
export const Problems = createContext<FieldProblems>(new Map());

export interface ControlProps {
  id: string;
  name: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string;
}

/** A field with its label, what to know about it, and what is wrong with it. */
export function Field({
  name,
  label,
  hint,
  problem: own,
  children,
}: {
  name: string;
  label: string;
  hint?: ReactNode;
  /** What is known to be wrong before the form is sent. */
  problem?: string | undefined;
  children: (control: ControlProps) => ReactNode;
}) {
  const id = useId();
  const problem = use(Problems).get(name) ?? own;
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        name,
        'aria-invalid': problem === undefined ? undefined : true,
        'aria-describedby': `${id}-notes`,
      })}
      <div id={`${id}-notes`} className={styles['notes']}>
        {problem !== undefined && <p className="error">{problem}</p>}
        {hint && <p className="muted">{hint}</p>}
      </div>
    </div>
  );
}

/** Fields that most tasks do not need. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className={styles['section']}>
      <summary>{title}</summary>
      <div className={styles['fields']}>{children}</div>
    </details>
  );
}
