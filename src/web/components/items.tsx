import type { ReactNode } from 'react';
import styles from './items.module.css';

/** A list of things in one card: each with its name, what to know about it, and what can be done with it. */
export const Items = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={`card ${styles['items']}`} aria-label={label}>
    {children}
  </ul>
);

export function Item({
  title,
  badge,
  note,
  actions,
  children,
}: {
  title: ReactNode;
  /** Its state, beside the name. */
  badge?: ReactNode;
  /** One line, muted. */
  note?: ReactNode;
  actions?: ReactNode;
  /** Under the line, such as its details while they are open. */
  children?: ReactNode;
}) {
  return (
    <li className={styles['item']}>
      <div className={styles['line']}>
        <div className={styles['main']}>
          <div className={styles['title']}>
            {title}
            {badge}
          </div>
          {note && <div className={styles['note']}>{note}</div>}
        </div>
        {actions && <div className={styles['actions']}>{actions}</div>}
      </div>
      {children}
    </li>
  );
}
