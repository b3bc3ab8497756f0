import { setTimeout as delay } from 'node:timers/promises';
import { type GatewayFinished, gatewayFinishedSchema } from '../../../src/contract/gateway.ts';
import type { Random } from '../crash/random.ts';
import type { Caller } from './caller.ts';
import { readEvents } from './event-readers.ts';
import type { Ledger, Posted } from './ledger.ts';
import { commandOf, type Plan, plans } from './plans.ts';
import type { ShippedDaemon } from './shipped-daemon.ts';

const POLL_MS = 25;
/** How long a synchronous request of the gateway waits. */
const SYNCHRONOUS_MS = 3000;
/** A process of the command line takes as much as many requests. */
const COMMAND_PAUSE_MS = 500;
/** Tasks of one client that are open at the same time. */
const OPEN = 8;
/** A command that fails is run again only if its task has attempts of its own. */
const FLAKY_ATTEMPTS = 3;

export interface ClientDeps {
  name: string;
  random: Random;
  ledger: Ledger;
  /** Its token may create and read tasks, and use the gateway. */
  caller: Caller;
  firstKill: Promise<void>;
  /** Aborts when no more is to be created. */
  enough: AbortSignal;
  /** Aborts when the rig gives up waiting. */
  over: AbortSignal;
}

/** Work that continues until `end` resolves. */
interface Open {
  end: Promise<unknown>;
}

/** What one client follows to its end, a few at the same time. */
class OpenWork {
  readonly #work = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  /** Waits until the work has begun, and while there is too much of it; rejects once any of it has. */
  async add(begun: Promise<Open | undefined>): Promise<void> {
    const { end } = (await begun) ?? {};
    if (!end) return;
    const entry: Promise<void> = end
      .then(
        () => undefined,
        (error: unknown) => void this.#failures.push(error),
      )
      .finally(() => this.#work.delete(entry));
    this.#work.add(entry);
    if (this.#work.size >= OPEN) await Promise.race(this.#work);
    this.#requireSuccess();
  }

  async end(): Promise<void> {
    await Promise.all(this.#work);
    this.#requireSuccess();
  }

  #requireSuccess(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}

/**
 * Creates tasks over the API, cancels some, and reads the events of each to its end. The first task runs until the first
 * kill, and the last two come after the last kill.
 */
export async function createTasks(deps: ClientDeps): Promise<void> {
  const { name, random, firstKill, enough } = deps;
  const open = new OpenWork();
  await open.add(useTask(deps, `${name}-first`, 'endless', firstKill));
  for (let n = 0; !enough.aborted; n++) await open.add(useTask(deps, `${name}-${n}`, random.pick(plans)));
  await open.add(useTask(deps, `${name}-last`, 'quick', 'never'));
  await open.add(useTask(deps, `${name}-cancelled`, 'endless'));
  await open.end();
}

/** Resolves once the task is created, with what follows it to its end. */
async function useTask(
  deps: ClientDeps,
  word: string,
  plan: Plan,
  cancelAfter?: Promise<void> | 'never',
): Promise<Open | undefined> {
  const { random, caller, ledger, over } = deps;
  // What only a cancel ends is asked for until its id is known.
  const isKeyed = plan === 'endless' || cancelAfter === 'never' || random.chance(0.8);
  const taskId = await createTask(deps, word, plan, isKeyed);
  if (taskId === undefined) return undefined;
  const read = readEvents(caller, taskId, { signal: over }).then((log) => void ledger.readers.push(log));
  const isCancelled = plan === 'endless' || (cancelAfter !== 'never' && random.chance(0.15));
  if (!isCancelled) return { end: read };
  const moment = cancelAfter instanceof Promise ? cancelAfter : delay(random.between(0, 150));
  return { end: Promise.all([read, moment.then(() => cancelTask(deps, taskId))]) };
}

async function createTask(
  { caller, ledger, random, over }: ClientDeps,
  word: string,
  plan: Plan,
  isKeyed: boolean,
): Promise<string | undefined> {
  const post = enter(ledger, word, plan, 'api', isKeyed);
  const call = {
    method: 'POST',
    path: '/api/tasks',
    body: bodyOf(plan, word, random),
    ...(isKeyed && { headers: { 'idempotency-key': word } }),
    expects: [200, 201],
  };
  const send = async () => {
    const answer = await (isKeyed ? caller.insist(call, over) : caller.ask(call));
    if (answer) post.taskIds.add((answer.body as { task: { id: string } }).task.id);
  };
  // Now and then two at once, of which one is the repetition.
  await Promise.all(isKeyed && random.chance(0.2) ? [send(), send()] : [send()]);
  return [...post.taskIds][0];
}

async function cancelTask({ caller, ledger, over }: ClientDeps, taskId: string): Promise<void> {
  const path = `/api/tasks/${taskId}/cancel`;
  // 400: it has finished, perhaps by a cancel whose answer was lost.
  const answer = await caller.insist({ method: 'POST', path, expects: [200, 400] }, over);
  if (answer?.status === 200) ledger.cancelled.add(taskId);
}

/** Submits to the gateway, and polls each request to its end; the last one comes after the last kill. */
export async function useGateway(deps: ClientDeps): Promise<void> {
  const { name, random, enough } = deps;
  const open = new OpenWork();
  const finite = plans.filter((plan) => plan !== 'endless');
  for (let n = 0; !enough.aborted; n++) await open.add(submit(deps, `${name}-${n}`, random.pick(finite)));
  await open.add(submit(deps, `${name}-last`, 'quick'));
  await open.end();
}

async function submit(deps: ClientDeps, word: string, plan: Plan): Promise<Open | undefined> {
  const { random, caller, ledger, over } = deps;
  const post = enter(ledger, word, plan, 'gateway', true);
  const body = {
    task: bodyOf(plan, word, random),
    options: random.chance(0.4) ? { synchronous: true, timeout: SYNCHRONOUS_MS } : {},
  };
  const headers = { 'idempotency-key': word };
  const call = { method: 'POST', path: '/api/gateway', body, headers, expects: [200, 202] };
  const answer = await caller.insist(call, over);
  if (!answer) return undefined;
  const finished = gatewayFinishedSchema.parse(answer.body);
  const { requestId, taskId } = finished;
  post.taskIds.add(taskId);
  post.requestIds.add(requestId);
  if (isOver(finished)) post.outcomes.push(finished);
  return { end: followRequest(deps, requestId, post) };
}

async function followRequest({ caller, over }: ClientDeps, requestId: string, post: Posted): Promise<void> {
  const call = { path: `/api/gateway/${requestId}/status`, expects: [200] };
  while (!over.aborted) {
    const answer = await caller.insist(call, over);
    if (!answer) return;
    const status = gatewayFinishedSchema.parse(answer.body);
    if (isOver(status)) {
      post.outcomes.push(status);
      post.isFollowed = true;
      return;
    }
    await delay(POLL_MS);
  }
}

const isOver = ({ status }: GatewayFinished) => ['completed', 'failed', 'cancelled'].includes(status);

/** What the command line answers while no daemon does, or while it starts. */
const laterCodes = new Set([69, 75]);

/** Creates tasks by the command line, which sends each until it has an id. */
export async function useCommandLine(deps: ClientDeps, daemon: ShippedDaemon): Promise<void> {
  const { name, random, ledger, enough, over } = deps;
  for (let n = 0; !enough.aborted; n++) {
    const word = `${name}-${n}`;
    const plan = random.pick(['quick', 'lines', 'flaky'] as const);
    const post = enter(ledger, word, plan, 'cli', true);
    const { prompt } = bodyOf(plan, word, random);
    const tries = plan === 'flaky' ? ['--attempts', String(FLAKY_ATTEMPTS)] : [];
    const named = ['--title', word, '--idempotency-key', word, ...tries];
    while (!over.aborted) {
      const result = await daemon.svc(['run', '--detach', '--agent', 'command', ...named, '--', prompt]);
      const { code, stdout, stderr } = result;
      if (code === 8) {
        post.taskIds.add(stdout.trim());
        ledger.progress++;
        break;
      }
      if (code === undefined || !laterCodes.has(code)) {
        ledger.oddAnswers.push(`svc run: exit code ${code}, ${stderr}`);
        break;
      }
      ledger.unanswered++;
      await delay(COMMAND_PAUSE_MS);
    }
    await delay(random.between(0, 2 * COMMAND_PAUSE_MS));
  }
}

/** Creates API tokens and revokes them, which is audited. */
export async function createTokens(deps: ClientDeps): Promise<void> {
  const { name, caller, ledger, random, enough, over } = deps;
  for (let n = 0; !enough.aborted; n++) {
    const body = { name: `${name}-${n}`, scopes: ['tasks:read'] };
    // Each try may make one of its own, so there is one only.
    const answer = await caller.ask({ method: 'POST', path: '/api/tokens', body, expects: [201] });
    await delay(random.between(50, 250));
    if (!answer) continue;
    const { id } = answer.body as { id: string };
    ledger.tokens.add(id);
    if (random.chance(0.1)) continue;
    // 404: revoked by a try whose answer was lost.
    const revoke = { method: 'DELETE', path: `/api/tokens/${id}`, expects: [200, 404] };
    if (await caller.insist(revoke, over)) ledger.revoked.add(id);
  }
}

function enter(ledger: Ledger, word: string, plan: Plan, way: Posted['way'], isKeyed: boolean): Posted {
  const post: Posted = {
    plan,
    way,
    isKeyed,
    taskIds: new Set(),
    requestIds: new Set(),
    outcomes: [],
    isFollowed: false,
  };
  ledger.posts.set(word, post);
  return post;
}

const bodyOf = (plan: Plan, word: string, random: Random) => ({
  title: word,
  prompt: commandOf(plan, word, random),
  assignedAgent: 'command',
  priority: random.between(1, 4),
  ...(plan === 'once' && { maxAttempts: 1 }),
  ...(plan === 'flaky' && { maxAttempts: FLAKY_ATTEMPTS }),
});
