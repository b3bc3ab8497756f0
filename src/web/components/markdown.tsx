import { lazyPart } from './lazy-part.ts';
import { Suspense } from 'react';
import { escapeText } from '../../contract/escape-text.ts';
import styles from './markdown.module.css';

const Blocks = lazyPart(() => import('./markdown-blocks.tsx'), 'MarkdownBlocks');

/**
 * A text with Markdown by a model or a person. HTML in it is shown as text, images are links, and links lead to the web only
 * and say where. Its headings begin below `level`.
 */
export function Markdown({ text, level = 2 }: { text: string; level?: number }) {
  return (
    <div className={styles['markdown']}>
      <Suspense fallback={<p className={styles['plain']}>{escapeText(text)}</p>}>
        <Blocks text={text} level={level} />
      </Suspense>
    </div>
  );
}
