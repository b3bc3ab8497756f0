import { useId } from 'react';
import type { SyncProgress } from '../../../contract/memory.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { ActButton } from '../../components/act-button.tsx';
import { refreshMemory } from '../../queries/memory.ts';
import styles from './memory.module.css';
import { formatNumber } from '../../components/format-number.ts';

const phases: Record<SyncProgress['phase'], string> = {
  looking: 'Looking',
  reading: 'Reading',
  embedding: 'Embedding',
  done: 'Done',
};

/** What a sync does now, and the way to stop it; what it has indexed is kept. */
export function SyncState({ progress: { phase, done, total, basePath } }: { progress: SyncProgress }) {
  const id = useId();
  const count = total === undefined ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`;
  return (
    <section className={styles['sync']} aria-labelledby={id}>
      <p id={id}>
        <strong>{phases[phase] ?? phase}</strong> {total === 0 ? 'nothing has changed' : `${count} files`}{' '}
        <span className="muted">{visibleLine(basePath)}</span>
      </p>
      <progress aria-labelledby={id} {...(total ? { value: done, max: total } : {})} />
      <div>
        <ActButton run={() => client.memory.cancelSync().finally(() => void refreshMemory())}>Stop</ActButton>
      </div>
    </section>
  );
}
