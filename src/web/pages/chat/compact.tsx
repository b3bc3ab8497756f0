import { useMutation } from '@tanstack/react-query';
import { client } from '../../client.ts';
import { Problem } from '../../components/problem.tsx';

/** Lets the model summarize the conversation for itself; the events of the conversation say what that saved. */
export function Compact({ id }: { id: string }) {
  const compact = useMutation({
    mutationFn: () => client.conversations.compact({ params: { id }, body: {} }),
  });
  return (
    <>
      {compact.error && <Problem error={compact.error} />}
      <button
        type="button"
        className="button quiet"
        title="Summarize the conversation so far for the model; its messages are kept"
        disabled={compact.isPending}
        onClick={() => compact.mutate()}
      >
        {compact.isPending ? 'Compacting…' : 'Compact'}
      </button>
    </>
  );
}
