import type { ReactNode } from 'react';
import styles from './scrolled-table.module.css';

/** A table that scrolls in its own frame, so that the page never does sideways. `numbers` are the columns that end at the right. */
export function ScrolledTable({
  label,
  titles,
  numbers = [],
  children,
}: {
  label: string;
  titles: readonly string[];
  numbers?: readonly number[];
  children: ReactNode;
}) {
  return (
    <div
      className={styles['frame']}
      role="region"
      aria-label={label}
      // What scrolls has to be reached by keys.
      tabIndex={0}
      data-numbers={numbers.join(' ')}
    >
      <table>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
