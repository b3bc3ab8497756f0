import type { Agent } from '../../../contract/agents.ts';
import { WithSettings } from '../../components/with-settings.tsx';
import { Ago, formatExact } from '../../components/time.tsx';

/** What to do next, or until when it takes no task, or what to know of an agent that works. */
export function NextStep({ agent: { closedUntil, hint, message, healthy } }: { agent: Agent }) {
  // The reason why one cannot run names the next step itself.
  const text = healthy ? (hint ?? message) : (message ?? hint);
  if (closedUntil === undefined && text === undefined) return null;
  return (
    <div>
      {closedUntil && (
        <p>
          Its usage limit is reached. It takes tasks again at {formatExact(closedUntil)} (
          <Ago at={closedUntil} />
          ).
        </p>
      )}
      {text && (
        <p>
          <WithSettings text={text} />
        </p>
      )}
    </div>
  );
}
