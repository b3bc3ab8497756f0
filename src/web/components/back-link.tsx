import { Link, type LinkProps } from '@tanstack/react-router';
import styles from './back-link.module.css';
import { Icon } from './icon.tsx';

export type BackLinkProps = Required<Pick<LinkProps, 'to'>> &
  Pick<LinkProps, 'params'> & { children: string };

/** The way from a page to the one above it; always the `back` of its `Page`. */
export const BackLink = ({ children, ...to }: BackLinkProps) => (
  <Link {...to} className={styles['back'] ?? ''} data-back>
    <Icon name="chevron-left" size={14} /> {children}
  </Link>
);
