import type { Invite } from '../../../../contract/invites.ts';
import { client } from '../../../client.ts';
import { delay } from '../../../components/undo.tsx';
import { useAway } from '../../../live/use-away.ts';
import { invitesQuery } from '../../../queries/people.ts';
import { queryClient } from '../../../queries/query-client.ts';

const { queryKey } = invitesQuery;

/** Takes an invite out of the list, with six seconds to take that back. */
export function RemoveInvite({ id, name, isOpen }: { id: string; name: string; isOpen: boolean }) {
  const isAway = useAway();
  const remove = () => {
    // An answer that is on its way would bring the row back.
    void queryClient.cancelQueries({ queryKey });
    queryClient.setQueryData<Invite[]>(queryKey, (rows) => rows?.filter((row) => row.id !== id));
    const refresh = () => void queryClient.invalidateQueries({ queryKey });
    delay(isOpen ? 'Invite revoked.' : 'Invite removed.', {
      commit: () => client.invites.delete({ params: { id } }).then(refresh),
      revert: refresh,
    });
  };
  const verb = isOpen ? 'Revoke' : 'Remove';
  return (
    <button
      type="button"
      className="button"
      aria-label={`${verb} the invite for ${name}`}
      disabled={isAway}
      onClick={remove}
    >
      {verb}
    </button>
  );
}
