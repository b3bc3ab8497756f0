import { messageOf } from '../errors.ts';

/** What Redis says before it does what was asked, sooner or later: it reads its file, runs a script, or changes its role. */
const PASSING = new Set(['LOADING', 'BUSY', 'MASTERDOWN', 'UNBLOCKED']);
const CLUSTER =
  'The Redis of queue.redis.url runs in cluster mode, which svc cannot use. Use one with cluster-enabled no';
const REPLICA =
  'It is a replica, which takes no writes: name the primary in queue.redis.url (QUEUE_STORE_URL)';

/** By how the answer begins: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors. */
const advice: readonly [RegExp, string][] = [
  [
    /^NOAUTH/,
    'Redis needs a password, and queue.redis.url has none. Put it into QUEUE_STORE_URL: redis://:PASSWORD@HOST',
  ],
  [/^(?:WRONGPASS|ERR AUTH)/, 'Redis refuses the credentials of queue.redis.url (QUEUE_STORE_URL)'],
  [
    /^NOPERM|ACL|can't run this command/,
    'The user of queue.redis.url lacks permissions: ACL SETUSER NAME +@all ~svc:* &svc:*',
  ],
  [/^OOM/, 'Its memory is full: raise maxmemory, or remove what other programs keep there'],
  [/^READONLY/, REPLICA],
  [/^MISCONF/, 'It cannot write to its disk: free some space, and see the log of Redis'],
  [/^(?:CROSSSLOT|MOVED|CLUSTERDOWN)/, CLUSTER],
  [/DB index/, 'It has no database with the number in queue.redis.url (QUEUE_STORE_URL)'],
];

/** The first word of an answer that is an error; empty where it is none of Redis itself, such as one of the network. */
const codeOf = (error: unknown): string => /^[A-Z]{2,}(?= )/.exec(messageOf(error))?.[0] ?? '';

/** Whether Redis is there and does not do what it is asked. */
export const isRefusal = (error: unknown): boolean => codeOf(error) !== '' && !PASSING.has(codeOf(error));

/** Whether Redis does not take the password or the user at all. */
export const isRefusedCaller = (error: Error): boolean =>
  /^(?:WRONGPASS|NOAUTH|NOPERM|ERR AUTH)/.test(error.message);

/** Whether the server is a replica: after a failover the address leads to another one, which a new connection reaches. */
export const isReplica = (error: Error): boolean => codeOf(error) === 'READONLY';

/** What to do about an answer that is a refusal. */
export const adviceOn = (answer: string): string =>
  advice.find(([pattern]) => pattern.test(answer))?.[1] ?? `It answers: ${answer}`;

/** What in the answer to INFO keeps svc from using the server, and what to do about it. */
export function setupProblemOf(info: string): string | undefined {
  if (/^cluster_enabled:1/m.test(info)) return CLUSTER;
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1];
  if (policy === undefined || policy === 'noeviction') return undefined;
  return `The Redis of queue.redis.url may drop keys: its maxmemory-policy is ${policy}. Set it to noeviction: redis-cli CONFIG SET maxmemory-policy noeviction, and in redis.conf`;
}
