import { useMutation } from '@tanstack/react-query';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { client } from '../../../client.ts';
import { problemText } from '../../../components/problem.tsx';
import { useAway } from '../../../live/use-away.ts';
import { refreshProviders } from '../../../queries/providers.ts';

/** Asks a provider whether it answers, and says what came of it. */
export function CheckProvider({ type, name }: { type: string; name: string }) {
  const isAway = useAway();
  const check = useMutation({
    mutationFn: () => client.providers.checkHealth({ params: { type } }),
    onSettled: refreshProviders,
  });
  return (
    <>
      <span role="status" className={check.data?.modelProblem || check.error ? 'error' : 'muted'}>
        {check.isPending ? 'Checking…' : resultText(check)}
      </span>
      <button
        type="button"
        className="button"
        aria-label={`Check ${name}`}
        disabled={isAway || check.isPending}
        onClick={() => check.mutate()}
      >
        Check
      </button>
    </>
  );
}

interface Result {
  data: Awaited<ReturnType<typeof client.providers.checkHealth>> | undefined;
  error: Error | null;
}

function resultText({ data, error }: Result): string {
  if (error) return problemText(error);
  if (!data) return '';
  // Why it does not answer stands in its row.
  if (!data.healthy) return 'It does not answer.';
  if (data.modelProblem !== undefined) return escapeLine(data.modelProblem);
  return data.latencyMs === undefined ? 'It answers.' : `It answered in ${Math.round(data.latencyMs)} ms.`;
}
