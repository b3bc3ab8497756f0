import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../src/contract/client.ts';
import { markedProcesses } from '../marked-processes.ts';
import { poll } from '../poll.ts';
import { decideAll, putAgentsUnderLoad, repeatMessages } from './agent-load.ts';
import { AgentRows } from './agent-rows.ts';
import { AgentWorld } from './agent-world.ts';
import { AgentChecks } from './check-agents.ts';
import { checkCounters } from './check-counters.ts';
import { checkTasks, type Violation } from './check-tasks.ts';
import { type RigDaemon, startRigDaemon } from './daemon-process.ts';
import { agentPoints, type KillOrder, killPoints, outsidePoints } from './kill-points.ts';
import { Ledger } from './ledger.ts';
import { putUnderLoad, sendWithKey } from './load.ts';
import type { OutsideDeps } from './outside-deps.ts';
import { OutsideWorld } from './outside-world.ts';
import type { PlantedFault } from './planted-fault.ts';
import { plantedFaults } from './planted-faults.ts';
import { Random } from './random.ts';
import { Rows } from './rows.ts';

/** Tasks that finish only when they are cancelled. */
const waiting = ['child', 'stray', 'nobody'];
/** A child may outlive its run, or its daemon, by this much. */
const ORPHAN_MS = 5000;
/** Callers that post tasks while models work. */
const CALLERS_BESIDE = 2;
/** Models that make no call for so long have nothing to do. */
const PROGRESS_MS = 10_000;
const OUTSIDE_MS = 3000;
const RESUME_MS = 2000;
/** Above this a start hangs, also on a busy machine; how long it truly takes is reported. */
const READY_MS = 60_000;

export interface RigOptions {
  seed: number;
  fault?: string | undefined;
  /** Everything must have ended this long after a restart; below the pace of the sweeper, which would hide faults. */
  settleMs?: number;
}

/** A data folder that lives through one crash after another. */
export class CrashRig {
  readonly #home = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  readonly #random: Random;
  readonly #ledger = new Ledger();
  readonly #fault: string | undefined;
  readonly #settleMs: number;
  #world: AgentWorld | undefined;
  #outside: OutsideWorld | undefined;
  #checks: AgentChecks | undefined;
  #daemon: RigDaemon | undefined;
  #cycle = 0;
  /** How often the daemon died at each named point. */
  readonly #deaths = new Map<string, number>();
  /** The slowest start after a crash, in milliseconds. */
  slowestStartMs = 0;

  constructor({ seed, fault, settleMs = 20_000 }: RigOptions) {
    this.#random = new Random(seed);
    this.#fault = fault;
    this.#settleMs = settleMs;
  }

  /** What the rig has seen so far, to show that it tests something. */
  get seen() {
    const { tasks, takenUp, poisoned } = this.#ledger;
    const agents = this.#checks?.seen ?? { plans: 0, toolRuns: 0, unknownOutcomes: 0 };
    return {
      acknowledged: tasks.size,
      takenUp,
      poisoned,
      ...agents,
      ...(this.#outside?.seen ?? { told: 0, toldAgain: 0, issues: 0, schedules: 0 }),
      deaths: Object.fromEntries(this.#deaths),
    };
  }

  /** Load, a crash, a start, and what was found wrong after it. */
  async cycle(): Promise<Violation[]> {
    this.#daemon ??= await this.#start();
    this.#cycle++;
    const outside = await this.#openOutside();
    await (this.#isOutside ? outside.open(this.#daemon.client) : outside.pause(this.#daemon.client));
    await this.#crash(this.#daemon);
    const installation = this.#readRows((rows) => rows.installation());
    const violations = await this.#findOrphans(installation, false);
    this.#daemon = await this.#start();
    if (this.#random.chance(0.35)) {
      // Crashed again with the same runs: what is running now seems to be what kills the daemon.
      await this.#crashAgain(this.#daemon);
      this.#daemon = await this.#start();
    }
    violations.push(...(await this.#settle(this.#daemon)));
    violations.push(...(await this.#findOrphans(installation, true)));
    violations.push(...(await this.#check(this.#daemon)));
    return violations;
  }

  /** Looks at every task there ever was once more, and takes everything away. */
  async finish(): Promise<Violation[]> {
    if (!this.#daemon) return [];
    for (const id of this.#ledger.tasks.keys()) this.#ledger.touched.add(id);
    const agents = this.#world?.ledger;
    for (const name of agents?.works.keys() ?? []) agents?.unchecked.add(name);
    const violations = await this.#check(this.#daemon, true);
    const integrity = this.#readRows((rows) => rows.integrity());
    if (integrity !== 'ok') violations.push({ what: `the database is damaged: ${integrity}` });
    return violations;
  }

  async close(): Promise<void> {
    await this.#daemon?.end('SIGKILL');
    for (const { pid } of markedProcesses((mark) => this.#ledger.tasks.has(mark.split('/')[1] ?? '')))
      process.kill(pid, 'SIGKILL');
    await this.#world?.close();
    await this.#outside?.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** Starts the daemon; now and then it is killed while it starts, and started again. */
  async #start(): Promise<RigDaemon> {
    const { flags } = await this.#openWorld();
    const outside = await this.#openOutside();
    const isKilled = this.#cycle > 0 && this.#random.chance(0.2);
    const kill: KillOrder | undefined = isKilled
      ? {
          point: this.#random.pick(['before-commit', 'after-commit']),
          passing: this.#random.between(1, 4),
        }
      : undefined;
    const options = {
      home: this.#home,
      fault: this.#fault,
      flags: { ...flags, ...outside.flags },
      env: outside.sender.env,
    };
    outside.receiver.life++;
    const daemon = (await startRigDaemon({ ...options, kill })) ?? (await this.#startAgain(options));
    if (!daemon) throw new Error('the daemon died while it started, and nobody told it to');
    this.slowestStartMs = Math.max(this.slowestStartMs, daemon.readyMs);
    return daemon;
  }

  #startAgain(options: Parameters<typeof startRigDaemon>[0]): Promise<RigDaemon | undefined> {
    if (this.#outside) this.#outside.receiver.life++;
    return startRigDaemon(options);
  }

  async #openOutside(): Promise<OutsideWorld> {
    return (this.#outside ??= await OutsideWorld.start());
  }

  async #openWorld(): Promise<AgentWorld> {
    if (this.#world) return this.#world;
    this.#world = await AgentWorld.start(this.#databaseFile);
    this.#checks = new AgentChecks(this.#world, join(this.#home, 'data', 'workspaces'));
    return this.#world;
  }

  /** Every second cycle is one in which models work, unless a fault wants one kind. */
  get #isForAgents(): boolean {
    const load = this.#planted?.load;
    return load === undefined ? this.#cycle % 2 === 0 : load === 'agents';
  }

  /** Every third cycle is one with webhooks, unless a fault wants one kind. */
  get #isOutside(): boolean {
    return this.#planted ? this.#planted.load === 'outside' : this.#cycle % 3 === 1;
  }

  get #points() {
    if (this.#planted?.points) return this.#planted.points;
    if (this.#isOutside && this.#random.chance(0.7)) return outsidePoints;
    return this.#isForAgents ? agentPoints : killPoints;
  }

  get #planted(): PlantedFault | undefined {
    return this.#fault === undefined ? undefined : plantedFaults[this.#fault];
  }

  #agentParts(daemon: RigDaemon, { ledger: agents }: AgentWorld) {
    return { daemon, ledger: this.#ledger, agents, random: this.#randomOfItsOwn() };
  }

  /** Puts the daemon under load and lets it die at a named point or at any moment. */
  async #crash(daemon: RigDaemon): Promise<void> {
    const random = this.#random;
    const world = await this.#openWorld();
    const isForAgents = this.#isForAgents;
    const isArmed = this.#planted?.points !== undefined || random.chance(isForAgents ? 0.8 : 0.6);
    const passing = random.between(1, this.#isOutside ? 12 : isForAgents ? 6 : 40);
    const order = { point: random.pick(this.#points), passing };
    const outside = this.#isOutside && (await this.#openOutside());
    const told = outside && outside.load(this.#outsideParts(daemon), isArmed ? order : undefined);
    if (isArmed) daemon.arm(order);
    const load = this.#load(daemon, isForAgents ? CALLERS_BESIDE : undefined);
    const agents = isForAgents && this.#loadAgents(daemon, world);
    const moment = () =>
      agents
        ? Promise.race([agents.given, this.#progress(world.count, random.between(0, isArmed ? 60 : 30))])
        : outside
          ? this.#progress(outside.count, random.between(0, isArmed ? 200 : 80), OUTSIDE_MS)
          : delay(random.between(20, 350));
    if (random.chance(0.1)) {
      await moment();
      // A kill falls into the orderly end.
      void daemon.end('SIGTERM');
    }
    await Promise.race([daemon.ended, moment()]);
    await this.#kill(daemon);
    await Promise.all([load, agents && agents.given, agents && agents.decided, told]);
  }

  #outsideParts(daemon: RigDaemon): OutsideDeps {
    return { daemon, ledger: this.#ledger, random: this.#randomOfItsOwn() };
  }

  /** For work that runs beside other work. */
  #randomOfItsOwn(): Random {
    return new Random(this.#random.between(0, 2 ** 31));
  }

  #load(daemon: RigDaemon, callers: number | undefined): Promise<void> {
    return putUnderLoad(daemon, this.#ledger, this.#randomOfItsOwn(), this.#cycle, callers);
  }

  #loadAgents(daemon: RigDaemon, world: AgentWorld) {
    return {
      given: putAgentsUnderLoad(this.#agentParts(daemon, world), this.#cycle, this.#planted?.kinds),
      decided: decideAll(this.#agentParts(daemon, world), new AbortController().signal),
    };
  }

  /** Until so much more has happened: a slow machine comes as far as a fast one. */
  async #progress(count: () => number, more: number, limitMs = PROGRESS_MS): Promise<void> {
    const enough = count() + more;
    await poll(() => (count() >= enough ? true : undefined), limitMs, 5);
    await delay(this.#random.between(0, 30));
  }

  /** While it takes up what was left. */
  async #crashAgain(daemon: RigDaemon): Promise<void> {
    const random = this.#random;
    const world = await this.#openWorld();
    const decided = decideAll(this.#agentParts(daemon, world), new AbortController().signal);
    const [isForAgents, isOutside] = [this.#isForAgents, this.#isOutside];
    if (isForAgents || isOutside)
      daemon.arm({ point: random.pick(this.#points), passing: random.between(1, 3) });
    const { count } = isForAgents ? world : await this.#openOutside();
    const moment =
      isForAgents || isOutside
        ? this.#progress(count, random.between(0, 6), RESUME_MS)
        : delay(random.between(0, 50));
    await Promise.race([daemon.ended, moment]);
    await this.#kill(daemon);
    await decided;
  }

  async #kill(daemon: RigDaemon): Promise<void> {
    await daemon.end('SIGKILL');
    const point = daemon.diedAt();
    if (point !== undefined) this.#deaths.set(point, (this.#deaths.get(point) ?? 0) + 1);
  }

  /** Repeats what a client would repeat, ends what waits for a person, and waits until nothing is left to do. */
  async #settle(daemon: RigDaemon): Promise<Violation[]> {
    const world = await this.#openWorld();
    const settled = new AbortController();
    const agents = this.#agentParts(daemon, world);
    const decisions = decideAll(agents, settled.signal);
    const repeated = repeatMessages(agents);
    const outside = await this.#openOutside();
    outside.receiver.behave();
    const rows = new AgentRows(this.#databaseFile);
    try {
      if (outside.isOpen) await outside.sender.repeat(this.#outsideParts(daemon), false);
      const violations = await this.#awaitEnds(daemon);
      if (violations.length > 0) return violations;
      if (outside.isOpen) violations.push(...(await this.#settleOutside(daemon, outside)));
      if (violations.length > 0) return violations;
      await repeated;
      const isAnswered = await poll(() => (rows.openMessages() === 0 ? true : undefined), this.#settleMs);
      return isAnswered ? [] : [{ what: `I1: ${rows.openMessages()} messages have not been answered` }];
    } finally {
      rows.close();
      settled.abort();
      await decisions;
    }
  }

  async #settleOutside(daemon: RigDaemon, outside: OutsideWorld): Promise<Violation[]> {
    const late = await outside.schedules.awaitRuns(daemon.client, this.#settleMs);
    if (late > 0) return [{ what: `${late} schedules have not run` }];
    await outside.sender.repeat(this.#outsideParts(daemon), true);
    const violations = await this.#awaitEnds(daemon);
    if (violations.length > 0) return violations;
    const open = await outside.deliverAll(daemon.client, this.#settleMs);
    if (open.length === 0) return [];
    return [{ what: `I6: ${open.length} deliveries have not arrived, such as ${open[0]}` }];
  }

  async #awaitEnds(daemon: RigDaemon): Promise<Violation[]> {
    const { client } = daemon;
    await client.queue.resume();
    const own = [...this.#ledger.keyed.keys()].filter((key) => key.startsWith(`${this.#cycle}-`));
    await Promise.all(own.map((key) => sendWithKey(daemon, this.#ledger, key)));
    const done = await poll(async () => {
      const { tasks } = await client.tasks.filter({
        query: { status: 'pending,queued,in_progress', limit: 500, fields: 'id,title,status' },
      });
      if (tasks.length === 0) return true;
      for (const { id, title = '' } of tasks) {
        // A stubborn run answers after its cancel; the others would wait for ever.
        const ends = title === 'stubborn' ? this.#random.chance(0.3) : waiting.includes(title);
        if (!ends) continue;
        // It may have finished meanwhile.
        await client.tasks.cancel({ params: { id } }).catch(() => undefined);
        this.#ledger.touched.add(id);
      }
      return undefined;
    }, this.#settleMs);
    if (done) return [];
    return [{ what: `tasks have not ended ${this.#settleMs} ms after the restart` }];
  }

  /** I9: nothing that an agent started outlives it; what left its group is found by the next start. */
  async #findOrphans(installation: string, mayHaveLeft: boolean): Promise<Violation[]> {
    const orphans = () =>
      markedProcesses((mark) => {
        const [owner, task = ''] = mark.split('/');
        return (
          owner === installation &&
          (mayHaveLeft || task === 'tool' || this.#ledger.tasks.get(task) === 'child')
        );
      });
    const isClear = await poll(() => (orphans().length === 0 ? true : undefined), ORPHAN_MS);
    if (isClear) return [];
    return orphans().map(({ pid, mark }) => ({
      what: `I9: process ${pid} of ${mark} is still there ${mayHaveLeft ? 'after the next start' : 'after the crash'}`,
    }));
  }

  async #checkAgents(client: Client): Promise<Violation[]> {
    const rows = new AgentRows(this.#databaseFile);
    try {
      const faults = (await this.#checks?.check(client, rows)) ?? [];
      return faults.map((what) => ({ what }));
    } finally {
      rows.close();
    }
  }

  async #check({ client, bugs, readyMs }: RigDaemon, isAll = false): Promise<Violation[]> {
    const ledger = this.#ledger;
    const violations = await checkTasks(client, ledger);
    const rows = new Rows(this.#databaseFile);
    try {
      for (const what of await checkCounters(client, rows)) violations.push({ what });
      for (const key of rows.doubleKeys())
        violations.push({ what: `two tasks were stored for the key ${key}` });
    } finally {
      rows.close();
    }
    violations.push(...(await this.#checkAgents(client)));
    const outside = await this.#openOutside();
    if (isAll || outside.isOpen)
      for (const what of outside.check(this.#databaseFile, isAll)) violations.push({ what });
    for (const [key, { ids }] of ledger.keyed)
      if (ids.size > 1) violations.push({ what: `the key ${key} gave ${ids.size} tasks` });
    for (const answer of ledger.oddAnswers.splice(0)) violations.push({ what: `an answer was ${answer}` });
    for (const bug of bugs.splice(0)) violations.push({ what: `the daemon says: ${bug}` });
    if (readyMs > READY_MS) violations.push({ what: `the start took ${Math.round(readyMs)} ms` });
    return violations;
  }

  get #databaseFile(): string {
    return join(this.#home, 'data', 'svc.db');
  }

  #readRows<T>(read: (rows: Rows) => T): T {
    const rows = new Rows(this.#databaseFile);
    try {
      return read(rows);
    } finally {
      rows.close();
    }
  }
}
