import { type ReactNode, useEffect, useRef } from 'react';

export interface PageProps {
  title: string;
  /** Above the heading, a `BackLink`. */
  back?: ReactNode;
  /** Beside the heading, such as a count. */
  note?: ReactNode;
  /** At the end of the line of the heading. */
  actions?: ReactNode;
  /** For text that is read rather than scanned. */
  isNarrow?: boolean;
  className?: string | undefined;
  children: ReactNode;
}

/** The frame of every page: its heading, which has the focus after a navigation, and its actions. */
export function Page({ title, back, note, actions, isNarrow = false, className = '', children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Unless a field of the page has it already.
    const page = heading.current?.closest('.page');
    if (!page?.contains(document.activeElement)) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={`page ${isNarrow ? 'narrow' : ''} ${className}`}>
      {back}
      <header className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {note && <span className="muted">{note}</span>}
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
