import type { Evidence } from './evidence.ts';
import type { Posted } from './ledger.ts';

/** What a broken daemon would leave behind, planted into true evidence; each has to make the check complain. */
export interface PlantedFault {
  what: string;
  plant: (evidence: Evidence) => void;
  /** What the complaint says. */
  complaint: RegExp;
}

const first = <T>(items: Iterable<T>, isIt: (item: T) => boolean = () => true): T => {
  for (const item of items) if (isIt(item)) return item;
  throw new Error('there is nothing to plant the fault into');
};
const postOf = ({ ledger }: Evidence, isIt: (post: Posted) => boolean): [string, Posted] =>
  first(ledger.posts, ([, post]) => post.taskIds.size > 0 && isIt(post));
const taskOf = ({ tasks }: Evidence, status: string) =>
  first(tasks.values(), ({ task }) => task.status === status);
const readerOf = ({ ledger }: Evidence) => first(ledger.readers, ({ events }) => events.length > 3);
/** A copy with the event of the given type again at its end. */
const again = <E extends { seq: number; type: string }>(events: E[], type: string): E[] => [
  ...events,
  { ...first(events, (event) => event.type === type), seq: events.length + 1 },
];

export const plantedFaults: readonly PlantedFault[] = [
  {
    what: 'an acknowledged task that the daemon does not have',
    plant: (evidence) => void postOf(evidence, () => true)[1].taskIds.add('task_lost'),
    complaint: /the acknowledged task task_lost is gone/,
  },
  {
    what: 'an idempotency key that made two tasks',
    plant: (evidence) => {
      const [, one] = postOf(evidence, ({ way }) => way === 'api');
      const [, other] = postOf(evidence, (post) => post.way === 'api' && post !== one);
      for (const id of other.taskIds) one.taskIds.add(id);
    },
    complaint: /made the tasks task_\S+, task_/,
  },
  {
    what: 'a task that finished twice',
    plant: (evidence) => {
      const fact = taskOf(evidence, 'completed');
      fact.events = again(fact.events, 'completed');
    },
    complaint: /it finished 2 times/,
  },
  {
    what: 'an event after a cancel',
    plant: (evidence) => {
      const fact = taskOf(evidence, 'cancelled');
      fact.events = again(fact.events, 'queued');
    },
    complaint: /after its cancel there is queued/,
  },
  {
    what: 'a task that finished although its cancel was acknowledged',
    plant: (evidence) => void evidence.ledger.cancelled.add(taskOf(evidence, 'completed').task.id),
    complaint: /the cancel was acknowledged and the task is completed/,
  },
  {
    what: 'a run that nothing recorded',
    plant: ({ runs }) => {
      const { taskId } = first(runs);
      for (let n = 0; n < 50; n++) runs.push({ what: 'begin', taskId, mark: `unrecorded/${n}` });
    },
    complaint: /it ran 5\d times, \d+ are recorded/,
  },
  {
    what: 'a run that continued beside the next one',
    plant: ({ runs }) => {
      const { taskId, mark } = first(runs, ({ what }) => what === 'begin');
      runs.push({ what: 'begin', taskId, mark: 'next' }, { what: 'end', taskId, mark });
    },
    complaint: /went on after next had begun/,
  },
  {
    what: 'an event that a reader did not get',
    plant: (evidence) => void readerOf(evidence).events.splice(2, 1),
    complaint: /got \d+ events of \d+; instead of 3 \(\w+\) came 4/,
  },
  {
    what: 'an event that a reader got twice',
    plant: (evidence) => {
      const { events } = readerOf(evidence);
      events.splice(2, 0, ...events.slice(1, 2));
    },
    complaint: /got \d+ events of \d+; instead of 3 \(\w+\) came 2/,
  },
  {
    what: 'events that a reader got in another order',
    plant: (evidence) => {
      const { events } = readerOf(evidence);
      events.splice(1, 2, ...events.slice(1, 3).toReversed());
    },
    complaint: /instead of 2 \(\w+\) came 3/,
  },
  {
    what: 'a reader that ignores the position it has reached',
    plant: ({ ledger, forgetful }) => void (forgetful && ledger.readers.push(forgetful)),
    complaint: /got \d+ events of \d+; instead of nothing came 1 \(created\)/,
  },
  {
    what: 'a gateway request that was lost',
    plant: (evidence) => {
      for (const id of postOf(evidence, ({ way }) => way === 'gateway')[1].requestIds)
        evidence.requests.delete(id);
    },
    complaint: /the request req_\S+ is gone/,
  },
  {
    what: 'a gateway request that was stored twice',
    plant: (evidence) => {
      const [, { taskIds }] = postOf(evidence, ({ way }) => way === 'gateway');
      evidence.requests.set('req_double', first(taskIds));
    },
    complaint: /the request req_double for task_\S+ is not the only one/,
  },
  {
    what: 'a gateway request with the result of another task',
    plant: (evidence) => {
      const [, { outcomes }] = postOf(evidence, ({ way }) => way === 'gateway');
      first(outcomes).result = { output: 'did something else\n', duration: 1 };
    },
    complaint: /the request ended with .*did something else/,
  },
  {
    what: 'a gateway request that never ended',
    plant: (evidence) => void (postOf(evidence, ({ way }) => way === 'gateway')[1].isFollowed = false),
    complaint: /the request req_\S+ never ended/,
  },
  {
    what: 'a token without an entry in the audit log',
    plant: ({ audit, ledger }) => void audit.created.delete(first(ledger.tokens)),
    complaint: /the audit log does not have the creation of token_/,
  },
  {
    what: 'an audited token that is lost',
    plant: ({ tokens }) => void tokens.delete(first(tokens)),
    complaint: /the token token_\S+ and the audit log contradict each other/,
  },
];
