import type { MarkedToken, Token } from 'marked';
import type { ReactNode } from 'react';
import { escapeLine, escapeText } from '../../contract/escape-text.ts';
import { OutsideLink } from './outside-link.tsx';
import styles from './markdown.module.css';

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};
const decode = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);

/** The words of a paragraph. */
export const Inline = ({ tokens = [] }: { tokens?: readonly Token[] | undefined }): ReactNode =>
  tokens.map((token, at) => <Part key={at} token={token as MarkedToken} />);

function Part({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
    case 'codespan':
      return <code>{escapeText(token.text)}</code>;
    case 'link':
      return (
        <OutsideLink href={token.href} text={token.text}>
          <Inline tokens={token.tokens} />
        </OutsideLink>
      );
    case 'image':
      return (
        <OutsideLink href={token.href} text={token.text}>
          Image: {escapeLine(token.text || token.href)}
        </OutsideLink>
      );
    case 'br':
      return <br />;
    case 'checkbox':
      return (
        <span className={styles['checkbox']}>
          <span aria-hidden>{token.checked ? '☑ ' : '☐ '}</span>
          <span className="visually-hidden">{token.checked ? 'Done: ' : 'Open: '}</span>
        </span>
      );
    case 'text':
    case 'paragraph':
      return token.tokens ? <Inline tokens={token.tokens} /> : escapeText(decode(token.raw));
    case 'escape':
      return escapeText(decode(token.text));
    case 'blockquote':
    case 'code':
    case 'def':
    case 'heading':
    case 'hr':
    case 'html':
    case 'list':
    case 'list_item':
    case 'space':
    case 'table':
      return escapeText(token.raw);
  }
}
