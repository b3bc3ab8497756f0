import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { PresetName } from '../../../../src/contract/agents.ts';
import type { Flags } from '../../../../src/core/config/config.ts';
import { startDaemon } from '../../daemon.ts';
import { agentSetups } from './agent-setups.ts';

/** What `isolated-world.ts` starts: a daemon and a scripted model, reachable from outside by sockets in a folder. */
export interface WorldOrder {
  agent: PresetName;
  /** The path of the agent. */
  program: string;
  /** For the sockets. */
  folder: string;
  /** The scripted model. */
  models: string;
  flags: Flags;
}

export interface WorldReport {
  url: string;
  home: string;
  headers: { cookie: string };
  /** The address of the model, inside. */
  model: string;
  /** Whether a network outside can be reached. */
  hasRoute: boolean;
}

interface ScriptedModel {
  url: string;
  port: number;
  close(): void;
}

const order = JSON.parse(process.env['SVC_TEST_WORLD'] ?? '{}') as WorldOrder;
const { agent, program, folder } = order;
const { startMock } = (await import(order.models)) as { startMock: () => Promise<ScriptedModel> };
const model = await startMock();
const setup = agentSetups[agent];
// Not the folder of the daemon, which no agent may see.
const home = join(folder, 'home');
mkdirSync(home);
const daemon = await startDaemon({
  // The programs need a Node.js that is new enough, and git.
  env: { HOME: home, PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` },
  flags: {
    ...setup.flags(model.url),
    [`agents.${agent}.program`]: program,
    'tools.mcpServers': {
      eco: {
        command: process.execPath,
        // The sandbox shows it by its real path.
        args: [realpathSync(join(dirname(order.models), 'echo-mcp.mjs'))],
        env: {},
        enabled: true,
        readOnlyTools: [],
        roots: [],
      },
    },
    ...order.flags,
  },
});
for (const [name, text] of Object.entries(setup.files(model.url))) {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
await Promise.all([forward('daemon', Number(new URL(daemon.url).port)), forward('model', model.port)]);
process.once('disconnect', () => {
  void daemon[Symbol.asyncDispose]().then(() => process.exit(0));
});
const { url, headers } = daemon;
process.send?.({ url, home, headers, model: model.url, hasRoute: hasRoute() } satisfies WorldReport);

/** Sockets with a path cross the border of a network namespace. */
function forward(name: string, port: number): Promise<void> {
  const server = createServer((outside) => {
    const inside = connect(port, '127.0.0.1');
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
    outside.pipe(inside).pipe(outside);
  });
  return new Promise((resolve) => server.listen(join(folder, name), resolve));
}

function hasRoute(): boolean {
  try {
    // The first line holds the names of the columns.
    return readFileSync('/proc/net/route', 'utf8').trim().split('\n').length > 1;
  } catch {
    // Only Linux says.
    return true;
  }
}
