import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WatchApp } from '../../../../src/cli/tui/watch/watch-app.tsx';
import { type ContractServer, Refusal, startContractServer } from '../../../helpers/contract-server.ts';
import { ToolWorld } from '../../../helpers/tool-world.ts';
import { connectionTo } from '../chat/chat-screen.ts';
import { keys, Rendered } from '../rendered.ts';

let world: ToolWorld;
let server: ContractServer;
let rendered: Rendered | undefined;
beforeEach(async () => {
  world = new ToolWorld();
  server = await startContractServer(world.answers());
  world.onMessage = server.tell;
});
afterEach(async () => {
  rendered?.[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

/** The app on a screen of 100 by 24, and a clock that stands still until it is told otherwise. */
function open(taskId?: string) {
  let clock = 0;
  const props = {
    connection: connectionTo(server.url),
    formatError: String,
    now: Date.now,
    clock: () => clock,
    ...(taskId !== undefined && { taskId }),
  };
  const app = (rendered = new Rendered(createElement(WatchApp, props), { columns: 100, rows: 24 }));
  return {
    screen: () => app.screen,
    see: (pattern: RegExp) => app.until(pattern),
    press: (typed: string) => app.type(typed),
    /** Lets so much time pass that a key is an answer. */
    pause: () => (clock += 1000),
  };
}

const add = (title: string, body: object = {}) =>
  fetch(`${server.url}/api/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title, assignedAgent: 'builtin', ...body }),
  });
const routes = () => server.asked.map(({ route }) => route);

describe('svc tasks watch on a terminal', () => {
  it('lists the tasks and follows their changes', async () => {
    await add('The first');
    const { see, screen } = open();
    await see(/^svc tasks {3}● 1 running {3}◌ 2 queued {3}○ 0 pending {3}✗ 1 dead letter\n/);
    await see(/› ● The first +builtin/);
    world.tell('output', 'half of it', { stream: 'stdout' });
    await see(/The first.* half of it/);
    world.end({ status: 'failed', error: { class: 'agent_error', code: 'x', message: 'It went wrong' } });
    await see(/› ✗ The first.* It went wrong/);
    expect(screen().split('\n')).toHaveLength(24);
    expect(screen()).toMatch(/r retry {3}q quit$/);
  });

  it('an empty task list says how to start', async () => {
    await open().see(/No tasks yet\. Run one: svc run "What to do"/);
  });

  it('opens a task, scrolls up, and goes back', async () => {
    await add('The first', { prompt: 'Count' });
    const { see, press, screen } = open();
    await see(/› ● The first/);
    press(keys.enter);
    await see(/› Count/);
    for (let n = 1; n <= 60; n++) world.tell('output', `line ${n}\n`, { stream: 'stdout' });
    await see(/line 60\n/);
    expect(screen()).not.toMatch(/line 1\n/);
    press(keys.pageUp);
    press(keys.pageUp);
    press(keys.pageUp);
    await see(/› Count\n[^]*line 1\n[^]*more rows below/);
    world.tell('output', 'line 61\n', { stream: 'stdout' });
    await see(/… 45 more rows below/);
    press('G');
    await see(/line 61\n/);
    press(keys.escape);
    await see(/TASK +AGENT/);
  });

  it('opens the given task at once', async () => {
    await add('The first', { prompt: 'Do it' });
    const { see } = open(world.tasks[0]?.id);
    await see(/● The first\nbuiltin · task_[^]*› Do it/);
    world.answer('It is **done**.');
    await see(/✓ The first\n[^]*It is done\./);
  });

  it('cancels a task only after confirmation', async () => {
    await add('The first');
    await add('The second');
    const { see, press } = open();
    await see(/The second/);
    press(keys.down);
    await see(/› ● The second/);
    press('c');
    await see(/Cancel "The second"\? {2}y yes {3}n no/);
    press('n');
    await see(/c cancel/);
    press('c');
    await see(/Cancel "The second"/);
    press('y');
    await see(/– The second[^]*Cancelled\./);
    expect(routes().filter((route) => route.endsWith('/cancel'))).toHaveLength(1);
    expect(world.tasks.map(({ status }) => status)).toEqual(['cancelled', 'in_progress']);
  });

  it('retries a finished task', async () => {
    await add('The first');
    world.end({ status: 'failed', error: { class: 'agent_error', code: 'x', message: 'It went wrong' } });
    const { see, press } = open();
    await see(/✗ The first/);
    press('r');
    await see(/Retried as a new task\./);
    expect(routes()).toContain(`POST /api/tasks/${world.tasks.at(-1)?.id}/retry`);
  });

  it('prompts for the approval of the open task and ignores earlier keys', async () => {
    await add('The first');
    const { see, press, pause } = open(world.tasks[0]?.id);
    await see(/● The first/);
    const asked = world.askInTask({ params: { command: 'npm test' } });
    await see(
      /\? The first[^]*asked by The first[^]*Allow run_command\? · high risk[^]*"command" {2}npm test/,
    );
    const decided = world.decided(asked);
    press('d');
    pause();
    press('a');
    expect((await decided).decision).toBe('allow-once');
    await see(/● The first[^]*· allowed, once\n/);
  });

  it('asks about all pending approvals, one after the other', async () => {
    const first = world.ask({ conversationId: 'conv_1' });
    const second = world.ask({ toolName: 'write_file', conversationId: 'conv_2' });
    const { see, press, pause } = open();
    await see(/\? 2 approvals/);
    press('a');
    await see(/asked by conv_1[^]*Allow run_command\?.*2 wait/);
    press(keys.tab);
    await see(/asked by conv_2[^]*Allow write_file\?/);
    pause();
    const decided = world.decided(second);
    press('d');
    await see(/Why\?/);
    press('quite wrong');
    await see(/quite wrong/);
    press(keys.enter);
    expect((await decided).decision).toBe('deny');
    await see(/Allow run_command\? · high risk ─/);
    press(keys.escape);
    await see(/q quit$/);
    expect(world.approvals.find(({ id }) => id === first.id)?.status).toBe('pending');
  });

  it('reports a decision that came too late', async () => {
    world.ask({ conversationId: 'conv_1' });
    server.answers.approvals = {
      ...server.answers.approvals,
      decide: () => {
        throw new Refusal(400, 'The approval has expired');
      },
    };
    const { see, press, pause } = open();
    await see(/\? 1 approval/);
    press('a');
    await see(/Allow run_command/);
    pause();
    press('a');
    await see(/The approval has expired/);
  });

  it('reconnects after the daemon was unreachable', async () => {
    await add('The first');
    const { see } = open();
    await see(/● The first/);
    const { queue } = server.answers;
    server.answers.queue = {
      getStatus: () => {
        throw new Refusal(503, 'Stopping');
      },
    };
    server.hangUp();
    await see(/the daemon is not responding; reconnecting/);
    world.queue = { ...world.queue, paused: true };
    server.answers.queue = queue ?? {};
    await see(/● 1 running.*paused/);
  });
});
