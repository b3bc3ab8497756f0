import { randomUUID } from 'node:crypto';
import type { InboundAnswer } from '../../../../src/contract/inbound.ts';
import { type Vendor, wireName } from '../../../../src/contract/vendors.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { silentLog } from '../../../../src/core/log.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import type { NewSourceComment } from '../../../../src/core/integrations/comments/source-comments.ts';
import type { InboundService, Receipt } from '../../../../src/core/integrations/inbound/inbound-service.ts';
import { composeInbound } from '../../../../src/core/integrations/inbound/compose-inbound.ts';
import type { ReadSource, SourceWork } from '../../../../src/core/integrations/inbound/source-work.ts';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { inboundFlags, sign } from '../../../helpers/inbound.ts';

/** The work that a test's delivery asks for; one that names no content key asks for none. */
export type WorkRequest = Partial<SourceWork> & {
  place?: string;
  ignored?: string;
  webhookTimestamp?: number;
};

/** A reader whose vendor says plainly what it wants. */
const readWish: ReadSource = ({ headers, payload }, rulesOf) => {
  const { place, ignored, ...work } = payload as WorkRequest;
  const event = headers['x-github-event'];
  if (typeof event !== 'string') throw new AppError('validation', 'The event is missing');
  const head = { event, action: undefined, sender: 'ann', sourceId: work.sourceId };
  const rules = rulesOf(place);
  if (ignored !== undefined || !rules.isEnabled || work.contentKey === undefined)
    return { ...head, verdict: { ignored: ignored ?? 'It asks for nothing' } };
  return { ...head, verdict: { work: { ...plain, ...work }, rules } };
};
const plain: SourceWork = {
  sourceId: 'octo/hello#7',
  sourceUrl: undefined,
  title: 'Work',
  description: '',
  labels: [],
  priority: 3,
  repository: undefined,
  branch: undefined,
  contentKey: 'octo/hello#7',
  target: undefined,
};

export interface InboundWorld extends AsyncDisposable {
  daemon: TestDaemon;
  inbound: InboundService;
  removeOld: () => Promise<void>;
  /** Takes a signed delivery of the request. */
  receive: (input: WorkRequest, options?: SentOptions) => Promise<InboundAnswer>;
  /** What the source of each task wants to be told. */
  comments: NewSourceComment[];
  /** Time goes by. */
  pass: (ms: number) => void;
}
interface SentOptions {
  id?: string;
  provider?: Vendor;
  /** What the bytes differ by, as those of vendors do by their times; the id unless given. */
  salt?: string;
}

const reader = async () => readWish;

/** The intake on a daemon of its own, with a clock and a vendor of the test. */
export async function startInbound(): Promise<InboundWorld> {
  const daemon = await startDaemon({ flags: inboundFlags });
  const comments: NewSourceComment[] = [];
  let passed = 0;
  const { services, lifecycle } = composeInbound({
    ...daemon.app,
    log: silentLog,
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + passed) },
    sourceComments: { add: (_, comment) => void comments.push(comment) },
    readers: { github: reader, jira: reader, linear: reader },
  });
  return {
    daemon,
    inbound: services.inbound,
    removeOld: lifecycle.tidy.run,
    receive: (input, options) =>
      services.inbound.receive(options?.provider ?? 'github', receiptOf(input, options)),
    comments,
    pass: (ms) => void (passed += ms),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

function receiptOf(input: WorkRequest, options: SentOptions = {}): Receipt {
  const { id = randomUUID(), provider = 'github' } = options;
  const { headers, body } = sign({
    provider: wireName(provider),
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': id,
      'x-atlassian-webhook-identifier': id,
      'linear-delivery': id,
    },
    body: Buffer.from(JSON.stringify({ ...input, salt: options.salt ?? id })),
  });
  return { headers, body, address: '203.0.113.1' };
}
