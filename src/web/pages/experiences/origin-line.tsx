import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Origin } from '../../../contract/experiences.ts';
import { originWords } from '../../../contract/origin-words.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { sessionQuery } from '../../queries/session.ts';

/** Where an experience comes from, with the way to its task or chat; and whose it is, if it is not one's own. */
export function OriginLine({ origin }: { origin: Origin }) {
  const { data: session } = useQuery(sessionQuery);
  const isOwn = session?.authenticated === true && session.user.id === origin.userId;
  const { taskId, conversationId, userId } = origin;
  const words = originWords(origin);
  return (
    <>
      From{' '}
      {taskId !== undefined ? (
        <Link to="/tasks/$id" params={{ id: taskId }}>
          {words}
        </Link>
      ) : conversationId !== undefined ? (
        <Link to="/chat/{-$id}" params={{ id: conversationId }}>
          {words}
        </Link>
      ) : (
        words
      )}
      {!isOwn && ` of ${visibleLine(userId)}`}
    </>
  );
}
