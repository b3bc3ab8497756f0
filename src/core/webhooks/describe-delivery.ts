import { pageUrl } from '../../contract/page-url.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import type { DeliveredEvent } from '../../contract/webhooks.ts';
import { cutText } from '../text/cut-text.ts';
import { formatLongDuration } from '../text/format-long-duration.ts';
import { maskValue } from '../tools/mask-secrets.ts';

const MAX_SHORT = 120;
const MAX_LONG = 300;
/** A longer text is not looked through for secrets, and nothing of its rest is shown. */
const MAX_READ = 10_000;
const HALF_DAY_MS = 12 * 3_600_000;

/** A delivery as one or two sentences for people. */
export interface TextMessage {
  text: string;
  title: string;
  priority: 'low' | 'default' | 'high';
  /** The name of an emoji. */
  tag: string;
  /** What to open. */
  link?: string;
}
export interface TextSurroundings {
  home: string | undefined;
  baseUrl: string | undefined;
}

/** The fields of all payloads that a text may mention. */
interface Payload {
  id: string;
  taskId?: string;
  title?: string;
  taskTitle?: string;
  message?: string;
  duration?: number;
  error?: { message: string } | null;
  agentType?: string;
  reason?: string;
  until?: string | null;
  tool?: string;
  arguments?: Record<string, unknown>;
  cwd?: string;
  expiresAt?: string;
  status?: string;
  decidedByName?: string;
  link?: string;
}
interface Described extends TextSurroundings {
  payload: Payload;
  timestamp: string;
}
type Sentence = Pick<TextMessage, 'title' | 'text'>;

/** Says in plain words what the stored body of a delivery reports, without secrets and on lines without invisible characters. */
export function describeDelivery(body: string, surroundings: TextSurroundings): TextMessage {
  const { event, timestamp, payload } = JSON.parse(body) as {
    event: DeliveredEvent;
    timestamp: string;
    payload: Payload;
  };
  const { priority, tag, describe } = kinds[event];
  const link = linkOf(event, payload, surroundings);
  return {
    ...describe({ ...surroundings, payload, timestamp }),
    priority,
    tag: typeof tag === 'string' ? tag : tag(payload),
    ...(link !== undefined && { link }),
  };
}

interface Kind extends Pick<TextMessage, 'priority'> {
  tag: string | ((payload: Payload) => string);
  describe: (described: Described) => Sentence;
}

const kinds: Record<DeliveredEvent, Kind> = {
  'task.created': {
    priority: 'low',
    tag: 'new',
    describe: ({ payload }) => ({ title: 'Task created', text: `${titleOf(payload)} was created.` }),
  },
  'task.completed': {
    priority: 'default',
    tag: 'white_check_mark',
    describe: ({ payload }) => ({
      title: 'Task completed',
      text: `${titleOf(payload)} completed${payload.duration === undefined ? '' : ` in ${formatLongDuration(payload.duration)}`}.`,
    }),
  },
  'task.failed': {
    priority: 'high',
    tag: 'x',
    describe: ({ payload }) => ({
      title: 'Task failed',
      text: `${titleOf(payload)} failed: ${line(payload.error?.message ?? 'unknown reason', MAX_LONG)}`,
    }),
  },
  'task.cancelled': {
    priority: 'default',
    tag: 'no_entry_sign',
    describe: ({ payload }) => ({ title: 'Task cancelled', text: `${titleOf(payload)} was cancelled.` }),
  },
  'task.waiting': {
    priority: 'default',
    tag: 'hourglass_flowing_sand',
    describe: (described) => ({ title: 'Task is waiting', text: describeWait(described) }),
  },
  'agent.started': {
    priority: 'low',
    tag: 'arrow_forward',
    describe: ({ payload }) => ({
      title: 'Run started',
      text: `${agentOf(payload)} started a run of ${payload.taskId ?? 'a task'}.`,
    }),
  },
  'agent.finished': {
    priority: 'low',
    tag: 'checkered_flag',
    describe: ({ payload }) => ({
      title: 'Run finished',
      text: `${agentOf(payload)} finished a run of ${payload.taskId ?? 'a task'}.`,
    }),
  },
  'approval.requested': {
    priority: 'high',
    tag: 'raised_hand',
    describe: (described) => {
      const { payload } = described;
      const title =
        payload.taskTitle === undefined ? 'Approval needed' : `Approval needed: ${line(payload.taskTitle)}`;
      const until =
        payload.expiresAt === undefined ? '' : `\nExpires at ${at(payload.expiresAt, described)}.`;
      return { title, text: `Approve ${callOf(described)}${until}` };
    },
  },
  'approval.decided': {
    priority: 'low',
    tag: ({ status }) => (status === 'approved' ? 'white_check_mark' : 'no_entry_sign'),
    describe: (described) => {
      const { status, decidedByName } = described.payload;
      if (status === 'expired')
        return { title: 'Approval expired', text: `Nobody decided in time: ${callOf(described)}` };
      const by = decidedByName === undefined ? '' : ` by ${line(decidedByName)}`;
      const title = status === 'approved' ? 'Approved' : 'Denied';
      return { title, text: `${title}${by}: ${callOf(described)}` };
    },
  },
  'webhook.test': {
    priority: 'default',
    tag: 'wave',
    describe: ({ payload }) => ({ title: 'svc', text: `${line(payload.message ?? '')}.` }),
  },
};

function describeWait(described: Described): string {
  const { payload } = described;
  const { reason, until } = payload;
  const title = titleOf(payload);
  const message = line(payload.message ?? '', MAX_LONG);
  const time = until ? at(until, described) : undefined;
  if (reason === 'outage')
    return `${title} waits for a service that is away or overloaded. Next try at ${time}: ${message}`;
  if (reason === 'limit') return `${title} has reached a usage limit. Next try at ${time}: ${message}`;
  if (reason === 'approval') return `${title} waits for an approval: ${message}`;
  return `${title} waits: ${message}`;
}

/** `run_command: npm test, in ~/shop`. */
function callOf({ payload, home }: Described): string {
  const { tool = 'a call', cwd } = payload;
  const argument = mainArgument(payload.arguments ?? {});
  const place = cwd === undefined ? '' : `, in ${line(shortened(cwd, home))}`;
  return `${line(tool)}${argument === '' ? '' : `: ${argument}`}${place}`;
}

/** The arguments that identify a call, whatever their order. */
const telling = ['command', 'path', 'url', 'query'];

/** One argument is enough to recognize a call; the others may be long. */
function mainArgument(args: Record<string, unknown>): string {
  const name = telling.find((each) => typeof args[each] === 'string') ?? Object.keys(args)[0];
  if (name === undefined) return '';
  const value = args[name];
  return line(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

const shortened = (path: string, home: string | undefined): string =>
  home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;

const titleOf = ({ title }: Payload): string => line(title ?? 'A task');
const agentOf = ({ agentType }: Payload): string => line(agentType ?? 'An agent');

/** Text of others on one line, without secrets and with everything visible. */
function line(text: string, most = MAX_SHORT): string {
  const masked = String(maskValue(cutText(text, MAX_READ)));
  const shown = visibleLine(masked.replaceAll(/\s+/g, ' ').trim());
  return shown.length > most ? `${cutText(shown, most - 1)}…` : shown;
}

/** The time of day where the daemon runs, with the day where it is not today. */
function at(time: string, { timestamp }: Described): string {
  const isFar = Date.parse(time) - Date.parse(timestamp) > HALF_DAY_MS;
  return new Intl.DateTimeFormat('en-GB', {
    ...(isFar && { weekday: 'short', day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(time));
}

function linkOf(event: DeliveredEvent, payload: Payload, { baseUrl }: TextSurroundings): string | undefined {
  if (payload.link !== undefined) return payload.link;
  const taskId = event.startsWith('task.') ? payload.id : payload.taskId;
  return baseUrl === undefined || taskId === undefined ? undefined : pageUrl(baseUrl, 'tasks', taskId);
}
