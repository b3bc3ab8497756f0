import { memo, useState } from 'react';
import type { Block } from './transcript-blocks.ts';
import { EntryView } from './entry-view.tsx';
import { useStickToEnd } from './use-stick-to-end.ts';
import styles from './transcript.module.css';
import { formatNumber } from '../../components/format-number.ts';

/** So many turns exist as elements; what is out of sight of them is not laid out. */
const SHOWN = 100;

/** What was said and done, in order. */
export function Transcript({ blocks }: { blocks: readonly Block[] }) {
  const [shown, setShown] = useState(SHOWN);
  const { ref, isAtEnd, toEnd } = useStickToEnd();
  const hidden = Math.max(0, blocks.length - shown);
  return (
    <div className={styles['transcript']} ref={ref}>
      {hidden > 0 && (
        <button type="button" className="button quiet" onClick={() => setShown(shown + SHOWN * 4)}>
          Show earlier messages ({formatNumber(hidden)})
        </button>
      )}
      {blocks.slice(hidden).map((block) => (
        <BlockView key={block.key} entries={block.entries} />
      ))}
      {!isAtEnd && (
        <button type="button" className={`button ${styles['end']}`} onClick={toEnd}>
          Jump to the end
        </button>
      )}
    </div>
  );
}

const BlockView = memo(({ entries }: Pick<Block, 'entries'>) => (
  <div className={styles['block']}>
    {entries.map((entry, at) => (
      <EntryView key={at} entry={entry} />
    ))}
  </div>
));
BlockView.displayName = 'BlockView';
