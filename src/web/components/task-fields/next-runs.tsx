import { readerLocale } from '../reader.ts';
import styles from './task-fields.module.css';

/** When a schedule runs next, in its own time zone. */
export function NextRuns({ nextRuns, timezone }: { nextRuns: readonly string[]; timezone: string }) {
  return (
    <div className={styles['next']} role="status">
      <p>
        {nextRuns.length === 1 ? 'Runs once' : 'Next runs'}, in {timezone}:
      </p>
      <ol>
        {nextRuns.map((at) => (
          <li key={at}>
            <time dateTime={at}>{formatIn(timezone, at)}</time>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A moment in a time zone, in the language of the reader. */
export function formatIn(timeZone: string, at: string): string {
  try {
    return new Intl.DateTimeFormat(readerLocale(), {
      dateStyle: 'full',
      timeStyle: 'short',
      timeZone,
    }).format(new Date(at));
  } catch (error) {
    // The daemon may know a zone that this browser does not.
    if (error instanceof RangeError) return at;
    throw error;
  }
}
