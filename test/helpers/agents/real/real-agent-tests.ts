import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PresetName } from '../../../../src/contract/agents.ts';
import type { Task, TaskEvent } from '../../../../src/contract/task.ts';
import { markedProcesses } from '../../../rigs/marked-processes.ts';
import { poll } from '../../../rigs/poll.ts';
import { type IsolatedWorld, scriptedModels, startWorld } from './isolated-world.ts';
import { looseSettings } from './loose-settings.ts';
import { findAgent } from './pinned-agents.ts';

const finished = new Set(['completed', 'failed', 'cancelled']);
/** Programs take seconds to start; the limits only end a broken test. */
const LIMIT_MS = 90_000;

/** What the agents do differently. */
export interface RealAgentTraits {
  /** What becomes of a task whose only call was denied. */
  afterDenial: 'completed' | 'policy_denied';
  /** Whether the reason of a person reaches the model. */
  saysReason: boolean;
  /** The file of the project whose instructions it follows. */
  instructions: 'AGENTS.md' | 'CLAUDE.md';
  /** Whether it connects to MCP servers in a folder that it does not trust. */
  usesServers: boolean;
  /** The model that is offered the tools of servers, if not its usual one. */
  modelWithServers?: string;
  /** Whether its session can be continued in another process, as far as anybody can tell. */
  resumes: 'always' | 'at times';
}

/** A task that an agent works on, with what a test does meanwhile. */
export interface Worked {
  id: string;
  cwd: string;
  events: TaskEvent[];
  task: Task;
}

export type Step = Record<string, unknown>;

const scripted = (steps: Step[]) => `<<SCRIPT ${JSON.stringify(steps)} >>`;

/** Works with a real agent on scripts for its model. */
export class RealAgent implements AsyncDisposable {
  readonly name: PresetName;
  readonly world: IsolatedWorld;
  constructor(name: PresetName, world: IsolatedWorld) {
    this.name = name;
    this.world = world;
  }

  /** Starts a task in a new folder with these files, or in that of the task that it continues. */
  async start(
    steps: Step[] | string,
    {
      files = {},
      continues,
      model,
    }: { files?: Record<string, string>; continues?: Worked; model?: string | undefined } = {},
  ): Promise<{ id: string; cwd: string }> {
    const cwd = continues?.cwd ?? this.world.project(files);
    const prompt = typeof steps === 'string' ? steps : `Do it. ${scripted(this.#placed(steps, cwd))}`;
    const { task } = await this.world.client.tasks.create({
      body: {
        title: 'A scripted task',
        prompt,
        assignedAgent: this.name,
        cwd,
        maxAttempts: 1,
        ...(model !== undefined && { model }),
        ...(continues && { continues: continues.id }),
      },
    });
    return { id: task.id, cwd };
  }

  /** The first event of this type; undefined if the task ends without one. */
  async event(id: string, type: TaskEvent['type']): Promise<TaskEvent | undefined> {
    for await (const { data } of this.world.client.tasks.listEventsStream({ params: { id } }))
      if (data.type === type) return data;
    return undefined;
  }

  async finish({ id, cwd }: { id: string; cwd: string }): Promise<Worked> {
    const { client } = this.world;
    const events: TaskEvent[] = [];
    for await (const { data } of client.tasks.listEventsStream({ params: { id } })) events.push(data);
    return { id, cwd, events, task: (await client.tasks.get({ params: { id } })).task };
  }

  /** The next question of a task. */
  async question(id: string) {
    const { client } = this.world;
    const get = async () => (await client.tasks.get({ params: { id } })).task;
    const found = await poll(async () => {
      const [approval] = (await client.approvals.list({ query: { taskId: id } })).approvals;
      return approval ?? (finished.has((await get()).status) ? null : undefined);
    }, LIMIT_MS);
    if (found) return found;
    const task = await get();
    throw new Error(`the task did not ask: ${JSON.stringify(task)}`);
  }

  async decide(id: string, decision: 'allow-once' | 'deny', reason?: string): Promise<void> {
    await this.world.client.approvals.decide({
      params: { id },
      body: { decision, ...(reason !== undefined && { denialReason: reason }) },
    });
  }

  /** Answers all questions of a task with yes until it ends. */
  async allow(started: { id: string; cwd: string }): Promise<Worked & { asked: string[] }> {
    const asked: string[] = [];
    const finished = this.finish(started);
    let isOver = false;
    void finished.finally(() => (isOver = true));
    const { client } = this.world;
    await poll(async () => {
      const { approvals } = await client.approvals.list({ query: { taskId: started.id } });
      for (const { id, toolName } of approvals) {
        asked.push(toolName);
        await this.decide(id, 'allow-once');
      }
      return isOver || undefined;
    }, LIMIT_MS);
    return { ...(await finished), asked };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }

  /** Most tools take absolute paths alone, those of Codex relative ones. */
  #placed(steps: Step[], cwd: string): Step[] {
    if (this.name === 'codex') return steps;
    const place = (value: unknown) => (typeof value === 'string' ? join(cwd, value) : value);
    return steps.map(({ read, edit, write, ...step }) => ({
      ...step,
      ...(read !== undefined && { read: place(read) }),
      ...(Array.isArray(edit) && { edit: [place(edit[0]), ...edit.slice(1)] }),
      ...(Array.isArray(write) && { write: [place(write[0]), ...write.slice(1)] }),
    }));
  }
}

/** What svc promises of every agent, with a real one. One daemon serves all of it, because some programs take seconds to start. */
export function testRealAgent(name: PresetName, traits: RealAgentTraits): void {
  const program = existsSync(scriptedModels) ? findAgent(name) : undefined;
  if (!existsSync(scriptedModels)) process.stderr.write(`SKIPPED: there is no ${scriptedModels}\n`);
  describe.skipIf(program === undefined)(`${name}, the real one`, { timeout: 2 * LIMIT_MS }, () => {
    let agent: RealAgent;
    beforeAll(async () => {
      agent = new RealAgent(name, await startWorld(name, program ?? ''));
    }, LIMIT_MS);
    afterAll(async () => agent?.[Symbol.asyncDispose](), LIMIT_MS);

    it('answers', async () => {
      const { task } = await agent.finish(await agent.start([{ say: 'All good here.' }]));
      expect(task.error).toBeUndefined();
      expect(task).toMatchObject({
        status: 'completed',
        agentType: name,
        result: { output: 'All good here.' },
      });
      expect(task.result?.usage?.outputTokens).toBeGreaterThan(0);
    });

    it('runs a command once it is allowed', async () => {
      const started = await agent.start([{ shell: 'echo hello > made.txt' }, { say: 'Made.' }]);
      const asked = await agent.question(started.id);
      expect(asked.toolName).toBe('run_command');
      expect(JSON.stringify(asked.params)).toContain('echo hello > made.txt');
      expect(existsSync(join(started.cwd, 'made.txt'))).toBe(false);
      await agent.decide(asked.id, 'allow-once');
      const { task, events } = await agent.finish(started);
      expect(task).toMatchObject({ status: 'completed', result: { output: 'Made.' } });
      expect(readFileSync(join(started.cwd, 'made.txt'), 'utf8')).toBe('hello\n');
      expect(events.map(({ data }) => data['type'])).toContain('tool:result');
    });

    it('does not run what is denied', async () => {
      const started = await agent.start([{ shell: 'touch never.txt' }, { say: 'Then I leave it.' }]);
      const { id } = await agent.question(started.id);
      await agent.decide(id, 'deny', 'Not on a Monday');
      const { task } = await agent.finish(started);
      expect(task.error?.class ?? task.status).toBe(traits.afterDenial);
      expect(task.result?.refusedCalls?.count).toBe(1);
      expect(existsSync(join(started.cwd, 'never.txt'))).toBe(false);
      const results = (await agent.world.seen()).flatMap((request) => request.results);
      expect(results.some((text) => text?.includes('Not on a Monday'))).toBe(traits.saysReason);
    });

    it('edits a file once it is allowed, and shows the change before', async () => {
      const started = await agent.start(
        [
          { read: 'greet.js' },
          { edit: ['greet.js', 'console.log("hello");', 'console.log("good day");'] },
          { say: 'Changed.' },
        ],
        { files: { 'greet.js': 'console.log("hello");\n' } },
      );
      const { task, asked } = await agent.allow(started);
      expect(task).toMatchObject({ status: 'completed', result: { output: 'Changed.' } });
      expect(asked.at(-1)).toBe('edit_file');
      expect(readFileSync(join(started.cwd, 'greet.js'), 'utf8')).toBe('console.log("good day");\n');
      const { approvals } = await agent.world.client.approvals.list({
        query: { taskId: started.id, status: 'all' },
      });
      expect(JSON.stringify(approvals.find(({ toolName }) => toolName === 'edit_file')?.diff)).toContain(
        'good day',
      );
    });

    it('asks although its user and the project allow everything, and starts no program of the project', async () => {
      const { home, project } = looseSettings[name];
      const restore = agent.world.write(home);
      const started = await agent.start([{ shell: 'touch loose.txt' }, { say: 'Asked.' }], {
        files: project,
      });
      await agent.decide((await agent.question(started.id)).id, 'allow-once');
      const { task } = await agent.finish(started);
      restore();
      expect(task).toMatchObject({ status: 'completed', result: { output: 'Asked.' } });
      expect(readdirSync(started.cwd).filter((file) => file.endsWith('-ran'))).toEqual([]);
      // Codex would note in the settings of its user that it trusts the folder.
      const settings = join(agent.world.home, '.codex', 'config.toml');
      expect(existsSync(settings) ? readFileSync(settings, 'utf8') : '').not.toContain('trust_level');
    });

    it('follows the instructions of the project', async () => {
      const { task } = await agent.finish(
        await agent.start('Hello.', { files: { [traits.instructions]: scripted([{ say: 'As you say.' }]) } }),
      );
      expect(task).toMatchObject({ status: 'completed', result: { output: 'As you say.' } });
    });

    it.skipIf(!traits.usesServers)('calls a tool of an MCP server of svc once it is allowed', async () => {
      const started = await agent.start(
        [{ mcp: ['eco', 'echo', { text: 'over there' }] }, { say: 'Heard.' }],
        { model: traits.modelWithServers },
      );
      const asked = await agent.question(started.id);
      expect(asked.toolName).toBe('mcp__eco__echo');
      expect(JSON.stringify(asked.params)).toContain('over there');
      await agent.decide(asked.id, 'allow-once');
      const { task, events } = await agent.finish(started);
      expect(task).toMatchObject({ status: 'completed', result: { output: 'Heard.' } });
      expect(JSON.stringify(events)).toContain('echo: over there');
    });

    it('is gone with everything that it started when its task is cancelled', async () => {
      const started = await agent.start([
        { shell: '(sleep 311 &) ; setsid sleep 312 & touch started; sleep 313' },
        { say: 'never' },
      ]);
      await agent.decide((await agent.question(started.id)).id, 'allow-once');
      const isOurs = (mark: string) => mark.includes(started.id);
      expect(await poll(() => existsSync(join(started.cwd, 'started')) || undefined, LIMIT_MS)).toBe(true);
      expect(markedProcesses(isOurs).length).toBeGreaterThan(3);
      await agent.world.client.tasks.cancel({ params: { id: started.id } });
      const { task } = await agent.finish(started);
      expect(task.status).toBe('cancelled');
      expect(
        await poll(() => (markedProcesses(isOurs).length === 0 ? true : undefined), 10_000),
        JSON.stringify(markedProcesses(isOurs)),
      ).toBe(true);
    });

    it('continues a finished task', async () => {
      const first = await agent.allow(
        await agent.start([{ shell: 'echo plum > word.txt; cat word.txt' }, { say: 'The word is plum.' }]),
      );
      expect(first.task.status).toBe('completed');
      const second = await agent.allow(await agent.start('And what was the word?', { continues: first }));
      expect(second.task).toMatchObject({ status: 'completed', cwd: first.cwd });
      const asked = (await agent.world.seen()).findLast(({ lastUser }) =>
        /^And what was|^An earlier run/.test(lastUser ?? ''),
      );
      // The history holds what the command put out; an agent that has lost it is told so.
      const knows = asked?.results.some((text) => text.includes('plum')) ?? false;
      const isTold = asked?.lastUser?.startsWith('An earlier run') ?? false;
      expect({ knows, isTold }).toEqual(
        knows || traits.resumes === 'always'
          ? { knows: true, isTold: false }
          : { knows: false, isTold: true },
      );
    });

    it('reports a rate limit', async () => {
      const { client } = agent.world;
      const { id } = await agent.start([{ status: 429, retryAfter: 1 }]);
      const waiting = await agent.event(id, 'retry_scheduled');
      expect(waiting).toMatchObject({ data: { class: 'rate_limited' } });
      await client.tasks.cancel({ params: { id } });
    });

    it('waits for a login that the provider refuses, and uses up no attempt', async () => {
      const { client } = agent.world;
      const { id } = await agent.start([{ status: 401 }]);
      expect(await agent.event(id, 'waiting_for_agent')).toMatchObject({
        message: expect.stringContaining('login'),
      });
      const { task } = await client.tasks.get({ params: { id } });
      expect(task).toMatchObject({ status: 'pending', attempts: 0 });
      const { agents } = await client.agents.list();
      expect(agents.find(({ type }) => type === name)).toMatchObject({ healthy: false });
      expect(agents.find(({ type }) => type === name)?.message).toContain('login');
      await client.tasks.cancel({ params: { id } });
    });

    it('reaches nothing but its model', () => {
      if (process.platform === 'linux') expect(agent.world.isIsolated).toBe(true);
    });
  });
}
