import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ChunkExplanation } from '../../../contract/memory.ts';
import { findWords } from '../../../contract/find-words.ts';
import { bestLines } from '../../../contract/lines-of-chunk.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { StateBadge } from '../../components/state-badge.tsx';
import styles from './memory.module.css';

/** A longer line is cut; the whole is where the link leads. */
const LONGEST = 400;

/** A part that was found: where it is, the lines that match best, and how its score came about if that is known. */
export function FoundChunk({ result, words }: { result: ChunkExplanation; words: readonly string[] }) {
  const { chunk, keyword, vector } = result;
  const { path, startLine, endLine, score, heading, stale } = chunk;
  return (
    <li className="card">
      <header>
        <Link to="/memory" search={{ file: path }}>
          {visibleLine(path)}:{startLine}-{endLine}
        </Link>
        {stale && <StateBadge icon="history">changed since</StateBadge>}
        <span className={styles['score']} title="Score, 0 to 1">
          {score.toFixed(2)}
        </span>
      </header>
      {heading && <p className="muted">{visibleLine(heading)}</p>}
      <div className={styles['lines']}>
        {bestLines(chunk, words).map(({ number, text }) => (
          <div key={number}>
            <span>{number}</span>
            <code>
              <Marked text={text} words={words} />
            </code>
          </div>
        ))}
      </div>
      {(keyword ?? vector) && (
        <ul className={styles['reasons']} aria-label={`Why ${path} was found`}>
          {keyword && (
            <li>
              Keywords: rank {keyword.rank}, {keyword.points.toFixed(2)} points (
              {keyword.words
                .map(({ word, points }) => `${visibleLine(word)} ${points.toFixed(2)}`)
                .join(', ')}
              )
            </li>
          )}
          {vector && (
            <li>
              Meaning: rank {vector.rank}, similarity {vector.similarity.toFixed(3)}
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const shown = visibleLine(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
  const pieces: ReactNode[] = [];
  let from = 0;
  for (const { start, end } of findWords(shown, words)) {
    pieces.push(shown.slice(from, start), <mark key={start}>{shown.slice(start, end)}</mark>);
    from = end;
  }
  return [...pieces, shown.slice(from)];
}
