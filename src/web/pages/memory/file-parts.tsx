import { useQuery } from '@tanstack/react-query';
import type { Chunk } from '../../../contract/memory.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { useRemoved } from '../../components/removal.ts';
import { useAway } from '../../live/use-away.ts';
import { chunksQuery } from '../../queries/memory.ts';
import styles from './memory.module.css';
import { fileRemoval, removeChunk } from './remove-from-index.ts';

/** What is indexed of one file: its parts, whole. */
export function FileParts({ path }: { path: string }) {
  const { data, error, isPending, refetch } = useQuery(chunksQuery(path));
  const removed = useRemoved();
  const isAway = useAway();
  const chunks = data?.filter(({ id }) => !removed.has(id) && !removed.has(fileRemoval(path)));
  return (
    <section className={styles['part']} aria-labelledby="memory-file">
      <h2 id="memory-file">{visibleLine(path)}</h2>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading />}
      {!error &&
        chunks?.map((chunk) => (
          <article key={chunk.id} className={`card ${styles['chunk']}`} aria-label={linesOf(chunk)}>
            <header>
              <span className="muted">{linesOf(chunk)}</span>
              {chunk.heading && <span>{visibleLine(chunk.heading)}</span>}
              <button
                type="button"
                className="button quiet"
                aria-label={`Remove ${linesOf(chunk)} from the index`}
                disabled={isAway}
                onClick={() => removeChunk(chunk)}
              >
                Remove
              </button>
            </header>
            <pre tabIndex={0}>{visibleText(chunk.text)}</pre>
          </article>
        ))}
      {!error && chunks?.length === 0 && <p className="muted">Nothing of this file is indexed.</p>}
    </section>
  );
}

const linesOf = ({ startLine, endLine }: Chunk) =>
  startLine === endLine ? `line ${startLine}` : `lines ${startLine} to ${endLine}`;
