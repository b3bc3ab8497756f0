import type { ReactNode } from 'react';
import styles from './settings.module.css';

/** Settings that belong together, under their heading. */
export const SettingsGroup = ({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: ReactNode;
  children: ReactNode;
}) => (
  <section className={styles['group']}>
    <header>
      <h2>{title}</h2>
      {hint && <p className="muted">{hint}</p>}
    </header>
    {children}
  </section>
);
