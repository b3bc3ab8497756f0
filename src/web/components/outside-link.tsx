import type { ReactNode } from 'react';
import { escapeLine } from '../../contract/escape-text.ts';
import styles from './markdown.module.css';

interface OutsideLinkProps {
  href: string;
  /** What the link says of itself. */
  text: string;
  children: ReactNode;
}

/** A link by a model or a person: to the web or a mailbox only, and it says where. Another one is text with its target. */
export function OutsideLink({ href, text, children }: OutsideLinkProps) {
  const url = URL.canParse(href) ? new URL(href) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || (!isWeb && url.protocol !== 'mailto:'))
    return (
      <>
        {children}
        {href !== text && href !== '' && <span className={styles['target']}> ({escapeLine(href)})</span>}
      </>
    );
  const target = isWeb ? url.host : url.pathname;
  const isSaid = isWeb ? text === href || text === url.href : text === target || text === href;
  return (
    <>
      <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {!isSaid && <span className={styles['target']}> ({escapeLine(target)})</span>}
    </>
  );
}
