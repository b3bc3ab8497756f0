import type { ReactNode } from 'react';

/** What would be here, and the one action or command that fills it. */
export function Empty({ children }: { children: ReactNode }) {
  return <div className="empty">{children}</div>;
}
