import { ApiError } from '../../contract/client.ts';
import { SigningFailed } from '../signing/decide.ts';
import { Problem } from './problem.tsx';

/** Why this page cannot allow a call that needs a signature, and what to do. */
export const CannotSign = ({ id }: { id: string }) => (
  <p className="muted" id={`unsigned-${id}`}>
    This call can only be allowed with a signature, and this page cannot sign: browsers sign over https, or on
    the machine of the daemon itself. Open svc there, or decide there with{' '}
    <code>svc approvals allow {id}</code>. You can deny it here.
  </p>
);

/** A decision that is refused for its signature is for the person to put right, not for an administrator. */
export function DecisionProblem({ error }: { error: Error }) {
  const isAboutSigning =
    error instanceof SigningFailed || (error instanceof ApiError && error.status === 403);
  if (!isAboutSigning) return <Problem error={error} />;
  return (
    <p role="alert" className="problem">
      {error.message}
    </p>
  );
}
