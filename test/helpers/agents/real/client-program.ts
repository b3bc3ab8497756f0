import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import type { PresetName } from '../../../../src/contract/agents.ts';
import type { Task } from '../../../../src/contract/task.ts';
import { startDaemon } from '../../daemon.ts';
import { type McpTransport, mcpClientSetups } from './mcp-clients.ts';
import type { SeenRequest } from './isolated-world.ts';

/** What `runAsClient` wants done where nothing but the loopback interface is. */
export interface ClientOrder {
  agent: PresetName;
  /** The path of the agent. */
  program: string;
  transport: McpTransport;
  folder: string;
  /** The scripted model. */
  models: string;
  /** Run one after the other; `TASK` stands for the id of the newest task. */
  prompts: string[];
}

export interface ClientReport {
  runs: { exitCode: number | undefined; stdout: string; stderr: string }[];
  /** The tasks that it made, with their results. */
  tasks: Task[];
  /** The requests that the model has got. */
  seen: SeenRequest[];
}

interface ScriptedModel {
  url: string;
  close(): void;
}

const RUN_MS = 120_000;

const order = JSON.parse(process.env['SVC_TEST_CLIENT'] ?? '{}') as ClientOrder;
const { startMock } = (await import(order.models)) as { startMock: () => Promise<ScriptedModel> };
const model = await startMock();
const daemon = await startDaemon();
const { token } = await daemon.app.sessions.create({ userId: 'user_owner', kind: 'sign-in' });
const home = join(order.folder, 'home');
const runs: ClientReport['runs'] = [];
const newest = async () => (await daemon.client.tasks.list()).tasks[0]?.id ?? 'none';
for (const prompt of order.prompts) {
  const setup = mcpClientSetups[order.agent](order.transport)({
    model: model.url,
    prompt: prompt.replaceAll('TASK', await newest()),
    url: daemon.url,
    token,
    home: join(order.folder, 'svc'),
  });
  for (const [name, text] of Object.entries(setup.files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const cwd = join(order.folder, 'project');
  mkdirSync(cwd, { recursive: true });
  mkdirSync(home, { recursive: true });
  const { exitCode, stdout, stderr } = await execa(order.program, setup.args, {
    cwd,
    // The programs need a Node.js that is new enough.
    env: { HOME: home, PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, ...setup.env },
    extendEnv: false,
    reject: false,
    ...(setup.input === undefined ? { stdin: 'ignore' } : { input: setup.input }),
    timeout: RUN_MS,
  });
  runs.push({ exitCode, stdout, stderr });
}
const { tasks } = await daemon.client.tasks.list({ query: { full: true } });
const seen = (await (await fetch(`${model.url}/__seen`)).json()) as SeenRequest[];
process.send?.({ runs, tasks: tasks as Task[], seen } satisfies ClientReport, () => process.exit(0));
