import type { ReactNode } from 'react';
import styles from './sign-in.module.css';

/** A window with one card, for who is not signed in yet. */
export const EntryCard = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className={styles['page']}>
    <div className={`card ${styles['card']}`}>
      <img src="/icon.svg" alt="" width={32} height={32} />
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);
