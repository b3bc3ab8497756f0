import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../../src/contract/client.ts';
import type { PlannedWork } from './agent-ledger.ts';
import { answerOf, callsOf, isAskedFor, isCounted, isRepeatable, keyOf, textOfPlan } from './agent-plans.ts';
import type { AgentRows, AuditedCall, StoredApproval } from './agent-rows.ts';
import type { AgentWorld } from './agent-world.ts';

/** What a model may be told of a call that ran. */
const outcomes = /ran \S+|Exit code|Stopped after|not known/i;

/** Holds the work of models against what was promised, and every run of a tool against its intent and its approval. */
export class AgentChecks {
  readonly #world: AgentWorld;
  readonly #workspaces: string;
  /** Intents and results of each call, in the order of the chain. */
  readonly #audited = new Map<string, AuditedCall[]>();
  readonly #used = new Map<string, string>();
  /** Calls of which the model was told. */
  readonly #told = new Set<string>();
  #readTo = 0;
  constructor(world: AgentWorld, workspaces: string) {
    this.#world = world;
    this.#workspaces = workspaces;
  }

  /** How often tools ran that can be counted, and how often a model had to be told that nobody knows. */
  get seen() {
    const { tools, model } = this.#world;
    const counted = [...tools.runs.values()].reduce((sum, n) => sum + n, 0);
    const told = [...model.told.values()];
    return {
      plans: this.#world.ledger.works.size,
      toolRuns: counted + [...this.#files().values()].reduce((sum, n) => sum + n, 0),
      unknownOutcomes: told.filter((text) => text.includes('not known')).length,
    };
  }

  async check(client: Client, rows: AgentRows): Promise<string[]> {
    const { ledger } = this.#world;
    const faults = ledger.unannounced.splice(0);
    const { valid, reason = '' } = await client.audit.verify();
    if (!valid) faults.push(`I7: the chain of the audit log is broken: ${reason}`);
    this.#readAudit(rows, faults);
    const approvals = rows.approvals();
    this.#checkApprovals(approvals, faults);
    this.#checkRuns(approvals, rows.revivals(), faults);
    for (const id of rows.lostAnswers()) faults.push(`I1: ${id} has ended and its answer is nowhere`);
    for (const name of ledger.unchecked) {
      const work = ledger.works.get(name);
      if (work) faults.push(...(await this.#checkAnswer(client, work)));
    }
    ledger.unchecked.clear();
    return faults;
  }

  #readAudit(rows: AgentRows, faults: string[]): void {
    for (const entry of rows.calls(this.#readTo)) {
      this.#readTo = entry.seq;
      const { callId, result } = entry;
      const before = this.#audited.get(callId) ?? [];
      this.#audited.set(callId, [...before, entry]);
      const intents = before.filter((earlier) => earlier.result === 'intent').length;
      const call = this.#world.model.issued.get(callId);
      if (!call) faults.push(`I7: nobody asked for the call ${callId}`);
      else if (result === 'intent' && intents > 0 && !isRepeatable(call.move))
        faults.push(`I8: ${callId} of ${call.key} was begun a second time`);
      else if (/^(ok|failed)\b/.test(result) && intents === 0)
        faults.push(`I7: ${callId} of ${call.key} has a result and no intent before it`);
    }
  }

  #checkApprovals(approvals: StoredApproval[], faults: string[]): void {
    const { decisions } = this.#world.ledger;
    for (const { id, status, decision, usedAt } of approvals) {
      const promised = decisions.get(id);
      if (promised !== undefined && promised !== decision)
        faults.push(`I8: ${promised} of ${id} was acknowledged, it says ${decision ?? 'nothing'}`);
      const usedBefore = this.#used.get(id);
      if (usedBefore !== undefined && usedBefore !== usedAt)
        faults.push(`I8: ${id} was used at ${usedBefore}, it says ${usedAt ?? 'never'}`);
      if (usedAt === null) continue;
      this.#used.set(id, usedAt);
      if (status !== 'approved' || decision !== 'allow-once') faults.push(`I8: ${id} is ${status} and used`);
    }
  }

  /** Every run of a step has an intent; where a person is asked, every intent has its own approval. */
  #checkRuns(approvals: StoredApproval[], revivals: Map<string, number>, faults: string[]): void {
    const { model, tools, ledger } = this.#world;
    const files = this.#files();
    const used = this.#countByKey(approvals.filter(({ usedAt }) => usedAt !== null));
    const intents = this.#countByKey([...this.#audited.values()].flat().filter(isIntent));
    for (const [id, text] of model.told) {
      if (this.#told.has(id)) continue;
      this.#told.add(id);
      const entries = this.#audited.get(id) ?? [];
      if (entries.some(isIntent) && !entries.some(({ result }) => result.startsWith('refused')))
        if (!outcomes.test(text) && !isPlainAnswer(model.issued.get(id)?.move))
          faults.push(`I8: ${id} may have run, and the model was told: ${text.slice(0, 200)}`);
    }
    for (const { plan, sends, taskId = '' } of ledger.works.values()) {
      // One that is requeued from the dead letters may start over.
      const times = sends + (revivals.get(taskId) ?? 0);
      for (const [step, move] of plan.moves.entries()) {
        const key = keyOf(plan, step);
        const begun = intents.get(key) ?? 0;
        const allowed = used.get(key) ?? 0;
        if (isAskedFor(plan, move) && begun > allowed)
          faults.push(`I8: ${key} (${move}) was begun ${begun} times with ${allowed} used approvals`);
        if (!isCounted(move)) continue;
        const runs = tools.runs.get(key) ?? files.get(key) ?? 0;
        if (runs > begun) faults.push(`I7: ${key} (${move}) ran ${runs} times with ${begun} intents`);
        if (!isRepeatable(move) && runs > times * callsOf(move))
          faults.push(`I8: ${key} (${move}) ran ${runs} times, it was to run ${times * callsOf(move)} times`);
      }
    }
  }

  /** What was acknowledged has come to its end, with an answer that is told once. */
  async #checkAnswer(
    client: Client,
    { plan, taskId, conversationId, messageId }: PlannedWork,
  ): Promise<string[]> {
    const answer = answerOf(plan);
    const task = taskId === undefined ? undefined : (await client.tasks.get({ params: { id: taskId } })).task;
    const isDone = task?.status === 'completed';
    // A model that follows its plan fails by nothing but crashes.
    if (task?.status === 'failed' && task.error?.class !== 'agent_crash')
      return [`I1: ${plan.name} failed: ${JSON.stringify(task.error)}`];
    if (isDone && task.result?.output !== answer)
      return [`I1: ${plan.name} is completed with ${JSON.stringify(task.result?.output)}`];
    if (conversationId === undefined) return [];
    const { messages } = await client.conversations.get({ params: { id: conversationId } });
    const sent = textOfPlan(plan);
    if (taskId !== undefined && !messages.some(({ role, content }) => role === 'user' && content === sent))
      return [`I1: the message of ${plan.name} was acknowledged and is not there`];
    if (!isDone && messageId === undefined) return [];
    const answers = messages.filter(({ role, content }) => role === 'assistant' && content === answer);
    if (messageId !== undefined && !answers.some(({ id }) => id === messageId)) {
      const said = messages.find(({ id }) => id === messageId)?.content;
      return [`I1: the message of ${plan.name} was acknowledged, its answer is ${JSON.stringify(said)}`];
    }
    if (isDone && answers.length !== 1)
      return [`I2: the answer of ${plan.name} is there ${answers.length} times`];
    return [];
  }

  #countByKey(rows: { callId: string }[]): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { callId } of rows) {
      const key = this.#world.model.issued.get(callId)?.key;
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }

  /** Files that a step left, one for each time that it ran. */
  #files(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const name of namesIn(this.#workspaces).flatMap((folder) =>
      namesIn(join(this.#workspaces, folder)),
    )) {
      const key = /^(\S+\.\d+)\.\w{8}$/.exec(name)?.[1];
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }
}

/** An empty folder of a task may be taken away at any time. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

const isIntent = ({ result }: AuditedCall): boolean => result === 'intent';
/** A list of files says nothing of itself, and may be asked for again. */
const isPlainAnswer = (move: string | undefined): boolean => move === 'look';
