import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';

/** What was read, or that it is on its way, or why it could not be read. What was there before stays. */
export function Read<T>({
  query: { data, error, refetch },
  rows = 3,
  children,
}: {
  query: UseQueryResult<T>;
  /** How many rows are likely. */
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  return <Loading rows={rows} />;
}
