import { useMemo, useState } from 'react';
import { escapeText } from '../../contract/escape-text.ts';
import { type DiffLine, linesOfPatch, linesOfTexts } from './diff-lines.ts';
import styles from './diff-view.module.css';
import { formatNumber } from './format-number.ts';

/** Rows that are shown at once. */
const PAGE = 1000;
/** More characters in a line make a browser slow. */
const LONGEST = 2000;

const signs: Record<DiffLine['kind'], string> = {
  added: '+',
  removed: '−',
  context: '',
  hunk: '',
  note: '',
};
const words: Partial<Record<DiffLine['kind'], string>> = { added: 'Added: ', removed: 'Removed: ' };

/** The lines of one changed file with their numbers before and after. */
export function DiffRows({
  patch,
  texts,
  label,
}: {
  patch?: string | undefined;
  texts?: { before: string; after: string } | undefined;
  label: string;
}) {
  const [count, setCount] = useState(PAGE);
  const lines = useMemo(
    () => (texts ? linesOfTexts(texts.before, texts.after) : linesOfPatch(patch ?? '')),
    [patch, texts],
  );
  if (lines.length === 0) return <p className={styles['none']}>No line has changed.</p>;
  const hasCarriageReturns = lines.every(({ kind, text }) => isRemark(kind) || text.endsWith('\r'));
  const left = lines.length - count;
  return (
    <>
      <div className={styles['box']} role="group" aria-label={label} tabIndex={0}>
        <table className={styles['lines']}>
          <tbody>
            {lines.slice(0, count).map((line, at) => (
              <Row key={at} line={line} end={hasCarriageReturns ? 1 : 0} />
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && (
        <button type="button" className="button quiet" onClick={() => setCount(count + PAGE * 2)}>
          Show {formatNumber(Math.min(left, PAGE * 2))} more of {formatNumber(left)} lines
        </button>
      )}
    </>
  );
}

const isRemark = (kind: DiffLine['kind']) => kind === 'hunk' || kind === 'note';

/** `end` characters of each line are line ends. */
function Row({ line: { kind, text, before, after }, end }: { line: DiffLine; end: number }) {
  if (isRemark(kind))
    return (
      <tr data-kind={kind}>
        <td colSpan={4}>{escapeText(text)}</td>
      </tr>
    );
  return (
    <tr data-kind={kind}>
      <td className={styles['number']} data-number={before} />
      <td className={styles['number']} data-number={after} />
      <td className={styles['sign']} data-sign={signs[kind]}>
        <span className="visually-hidden">{words[kind]}</span>
      </td>
      <td className={styles['code']}>
        <Code text={text.slice(0, text.length - end)} />
      </td>
    </tr>
  );
}

/** A line; of a very long one the beginning, until all of it is asked for. */
function Code({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || text.length <= LONGEST) return escapeText(text);
  return (
    <>
      {escapeText(text.slice(0, LONGEST))}…{' '}
      <button type="button" className="button quiet" onClick={() => setWhole(true)}>
        Show all {formatNumber(text.length)} characters
      </button>
    </>
  );
}
