import { ApiError } from '../../contract/client.ts';
import { SigningFailed } from '../signing/decide.ts';
import { Problem } from './problem.tsx';

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
