import type { MarkedToken, Token, Tokens } from 'marked';
import { createElement, memo, type ReactNode, useMemo } from 'react';
import { escapeText } from '../../contract/escape-text.ts';
import { Inline } from './markdown-inline.tsx';
import { readMarkdown } from './read-markdown.ts';
import styles from './markdown.module.css';

/** Text that is nested deeper is shown as it was written. */
const DEEPEST = 20;

/** The blocks of a Markdown text as elements; there is no HTML string on the way. */
export function MarkdownBlocks({ text, level }: { text: string; level: number }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  if (!blocks) return <p className={styles['plain']}>{escapeText(text)}</p>;
  const levels = headingLevels(blocks, level);
  return blocks.map((token, at) => (
    <Block key={at} token={token as MarkedToken} depth={0} heading={levels.get(token)} />
  ));
}

/** Levels without gaps, whatever the text begins with. */
function headingLevels(tokens: readonly Token[], level: number): Map<Token, number> {
  const levels = new Map<Token, number>();
  const above: number[] = [];
  for (const token of tokens) {
    if (token.type !== 'heading') continue;
    const { depth } = token as Tokens.Heading;
    while ((above.at(-1) ?? 0) >= depth) above.pop();
    above.push(depth);
    levels.set(token, Math.min(6, level + above.length));
  }
  return levels;
}

interface BlockProps {
  token: MarkedToken;
  depth: number;
  /** The level of a heading in the page. */
  heading?: number | undefined;
}
// What has not changed while a text is written stays as it is.
const Block = memo(
  BlockOf,
  (old, next) =>
    old.token.raw === next.token.raw && old.token.type === next.token.type && old.heading === next.heading,
);

function BlockOf({ token, depth, heading }: BlockProps): ReactNode {
  if (depth > DEEPEST) return <p className={styles['plain']}>{escapeText(token.raw)}</p>;
  switch (token.type) {
    case 'heading': {
      const words = <Inline tokens={token.tokens} />;
      return heading === undefined ? (
        <p>
          <strong>{words}</strong>
        </p>
      ) : (
        createElement(`h${heading}`, { 'data-depth': token.depth }, words)
      );
    }
    case 'paragraph':
      return (
        <p>
          <Inline tokens={token.tokens} />
        </p>
      );
    case 'code':
      return (
        <pre tabIndex={0} aria-label={token.lang ? `Code, ${escapeText(token.lang)}` : 'Code'} role="group">
          <code>{escapeText(token.text)}</code>
        </pre>
      );
    case 'blockquote':
      return (
        <blockquote>
          <Children tokens={token.tokens} depth={depth} />
        </blockquote>
      );
    case 'list': {
      const items = token.items.map((item, at) => (
        <li key={at}>
          <Children tokens={joinCheckbox(item.tokens)} depth={depth} />
        </li>
      ));
      if (!token.ordered) return <ul>{items}</ul>;
      return <ol start={token.start === '' ? 1 : Number(token.start)}>{items}</ol>;
    }
    case 'table':
      return <Table token={token} />;
    case 'hr':
      return <hr />;
    case 'html':
      return <pre className={styles['plain']}>{escapeText(token.text.trimEnd())}</pre>;
    case 'space':
    case 'def':
      return null;
    case 'list_item':
      return <Children tokens={token.tokens} depth={depth} />;
    case 'br':
    case 'checkbox':
    case 'codespan':
    case 'del':
    case 'em':
    case 'escape':
    case 'image':
    case 'link':
    case 'strong':
    case 'text':
      return (
        <span>
          <Inline tokens={[token]} />
        </span>
      );
  }
}

const Children = ({ tokens, depth }: { tokens: readonly Token[]; depth: number }) =>
  tokens.map((token, at) => <Block key={at} token={token as MarkedToken} depth={depth + 1} />);

/** The checkbox of a list item goes next to its text. */
function joinCheckbox(tokens: readonly Token[]): readonly Token[] {
  const [box, words, ...others] = tokens;
  if (box?.type !== 'checkbox' || (words?.type !== 'text' && words?.type !== 'paragraph')) return tokens;
  const text: Tokens.Text = { type: 'text', raw: words.raw, text: '', tokens: [box, words] };
  return [text, ...others];
}

function Table({ token: { header, rows, align } }: { token: Tokens.Table }) {
  const cells = (row: readonly Tokens.TableCell[], Cell: 'th' | 'td') =>
    row.map(({ tokens }, at) => (
      <Cell key={at} data-align={align[at] ?? undefined}>
        <Inline tokens={tokens} />
      </Cell>
    ));
  return (
    <div className={styles['table']} role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{cells(header, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
