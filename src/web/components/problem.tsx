import { ApiError } from '../../contract/client.ts';

/** What went wrong, as the daemon says it, or that it says nothing. */
export const problemText = (error: unknown): string =>
  error instanceof ApiError ? error.message : 'The daemon cannot be reached.';

/** Why something did not work, in the words of the daemon, with the id that its log has. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: (() => void) | undefined }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  const isRefused = error instanceof ApiError && error.status === 403;
  return (
    <div role="alert" className="problem">
      <p>{problemText(error)}</p>
      {isRefused && <p>Ask an administrator of this daemon.</p>}
      {requestId && <p className="muted">Request {requestId}</p>}
      {onRetry && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
