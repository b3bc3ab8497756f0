import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../../src/contract/client.ts';
import type { AgentLedger, PlannedWork } from './agent-ledger.ts';
import { type AgentKind, makePlan, textOfPlan } from './agent-plans.ts';
import type { RigDaemon } from './daemon-process.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';

/** How many callers give work to models at the same time, and how much each. */
const CALLERS = 5;
const STEPS = 4;
/** Between two looks at what waits for a person. */
const LOOK_MS = 10;

const allKinds: readonly AgentKind[] = ['task', 'task', 'message', 'message', 'agentic', 'agentic'];

interface AgentCaller {
  daemon: RigDaemon;
  ledger: Ledger;
  agents: AgentLedger;
  random: Random;
  name: string;
}

/** Gives work to models until the daemon is gone or all is done. */
export async function putAgentsUnderLoad(
  parts: Omit<AgentCaller, 'name'>,
  cycle: number,
  kinds = allKinds,
): Promise<void> {
  const callers = Array.from({ length: CALLERS }, (_, index) =>
    call({ ...parts, name: `${cycle}-${index}` }, kinds),
  );
  await Promise.all(callers);
}

async function call(caller: AgentCaller, kinds: readonly AgentKind[]): Promise<void> {
  const { daemon, random, name } = caller;
  for (let step = 0; step < STEPS && daemon.isAlive(); step++) {
    const kind = random.pick(kinds);
    await tolerating(caller, () => give(caller, kind, `${kind.charAt(0)}${name}-${step}`));
  }
}

/** What is the wrong moment, or a connection that the crash took, is no fault. */
async function tolerating({ ledger }: Pick<AgentCaller, 'ledger'>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ApiError && error.status !== 400)
      ledger.oddAnswers.push(`${error.status} ${error.message}`);
  }
}

async function give(caller: AgentCaller, kind: AgentKind, name: string): Promise<void> {
  const { daemon, ledger, agents, random } = caller;
  const plan = makePlan(name, kind, random);
  if (kind === 'task') {
    const work = agents.add(plan);
    work.sends++;
    const { task } = await daemon.client.tasks.create({
      body: { title: 'model', prompt: textOfPlan(plan), assignedAgent: 'builtin', securityMode: 'ask' },
    });
    work.taskId = task.id;
    ledger.acknowledge(task.id, 'model');
    if (!random.chance(0.1)) return;
    await delay(random.between(0, 200));
    ledger.touched.add(task.id);
    await daemon.client.tasks.cancel({ params: { id: task.id } });
    ledger.cancelled.add(task.id);
    return;
  }
  const { conversation } = await daemon.client.conversations.create({ body: {} });
  const work = agents.add(plan, conversation.id);
  if (kind === 'agentic') await sendAgentic(caller, work);
  else await sendMessage(caller, work, random.chance(0.4));
}

/** Reads until the daemon has said that it took the work; who reads no longer leaves it to itself. */
async function sendAgentic({ daemon, ledger, random }: AgentCaller, work: PlannedWork): Promise<void> {
  work.sends++;
  const readsAll = random.chance(0.5);
  for await (const { data: event } of daemon.client.conversations.sendAgenticMessageStream({
    params: { id: work.conversationId ?? '' },
    // Not a step more than it takes.
    body: { content: textOfPlan(work.plan), maxSteps: work.plan.moves.length + 1 },
  })) {
    if (event.type !== 'user_message') continue;
    const { taskId } = event.data;
    if (taskId === undefined) throw new Error('an agentic message has no task');
    work.taskId = taskId;
    ledger.acknowledge(taskId, 'model');
    if (!readsAll) return;
  }
}

async function sendMessage(
  { daemon }: Pick<AgentCaller, 'daemon'>,
  work: PlannedWork,
  isStreamed: boolean,
): Promise<void> {
  work.sends++;
  const request = {
    params: { id: work.conversationId ?? '' },
    body: { content: textOfPlan(work.plan), securityMode: 'ask' as const },
  };
  if (!isStreamed) {
    const { assistantMessage } = await daemon.client.conversations.sendMessageWithTools(request);
    work.messageId = assistantMessage.id;
    return;
  }
  for await (const { data: event } of daemon.client.conversations.sendMessageWithToolsStream(request))
    if (event.type === 'message_saved') work.messageId = event.data.id;
}

/** Sends messages that nobody answered once more, as a client would. */
export async function repeatMessages(parts: Omit<AgentCaller, 'name'>): Promise<void> {
  const { agents, random, ledger } = parts;
  const again = [...agents.unchecked]
    .flatMap((name) => agents.works.get(name) ?? [])
    .filter(({ plan, messageId }) => plan.kind === 'message' && messageId === undefined)
    .filter(() => random.chance(0.6));
  await Promise.all(again.map((work) => tolerating({ ledger }, () => sendMessage(parts, work, false))));
}

/** A person who decides on whatever waits, as long as the daemon lives or until told to stop; mostly it is a yes. */
export async function decideAll(
  { daemon, ledger, agents, random }: Omit<AgentCaller, 'name'>,
  signal: AbortSignal,
): Promise<void> {
  while (daemon.isAlive() && !signal.aborted) {
    await tolerating({ ledger }, async () => {
      const { approvals } = await daemon.client.approvals.list({ query: { limit: 200 } });
      for (const { id } of approvals) {
        const decision = random.chance(0.9) ? 'allow-once' : 'deny';
        // It may be decided, or of no use any more.
        await tolerating({ ledger }, async () => {
          await daemon.client.approvals.decide({ params: { id }, body: { decision } });
          agents.decisions.set(id, decision);
        });
      }
    });
    await delay(LOOK_MS);
  }
}
