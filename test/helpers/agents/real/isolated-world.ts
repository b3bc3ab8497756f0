import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, fetch } from 'undici';
import type { PresetName } from '../../../../src/contract/agents.ts';
import { type Client, createClient } from '../../../../src/contract/client.ts';
import { contract } from '../../../../src/contract/index.ts';
import type { Flags } from '../../../../src/core/config/config.ts';
import { compileCache } from '../../compile-cache.ts';
import type { WorldOrder, WorldReport } from './world-program.ts';

/** The scripted model that all agents can talk to; it lies beside the repository, as the fixtures do. */
export const scriptedModels: string = fileURLToPath(
  new URL('../../../../../shared/samples/agents/mock-models.mjs', import.meta.url),
);

/** A request that the scripted model has got. */
export interface SeenRequest {
  method: string;
  path: string;
  model?: string;
  tools: string[];
  /** Results of tools since the last scripted message. */
  results: string[];
  lastUser?: string;
}

/** A whole daemon with a real agent and a scripted model, in a network of its own that leads nowhere. */
export interface IsolatedWorld extends AsyncDisposable {
  client: Client;
  /** The home directory of the agent. */
  home: string;
  /** False where the system lets nobody make a network without a route; that was said aloud then. */
  isIsolated: boolean;
  /** A new folder to work in, with these files. */
  project(files?: Record<string, string>): string;
  /** Puts files into the home directory; what it answers with puts back what was there. */
  write(files: Record<string, string>): () => void;
  /** The requests that the model has got, oldest first. */
  seen(): Promise<SeenRequest[]>;
}

/** Prefix of a command line that runs the rest of it where only the loopback interface is; empty where that is not allowed. */
export function isolation(): string[] {
  const enter = ['-n', ...(process.getuid?.() === 0 ? [] : ['-r'])];
  const up = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const { status } = spawnSync('unshare', [...enter, ...up, 'true']);
  if (status === 0) return ['unshare', ...enter, ...up];
  process.stderr.write(
    'NOT ISOLATED: no network without a route can be made here, so the agents could reach the internet\n',
  );
  return [];
}

function place(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

export async function startWorld(
  agent: PresetName,
  program: string,
  flags: Flags = {},
): Promise<IsolatedWorld> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-world-')));
  const order: WorldOrder = { agent, program, folder, models: scriptedModels, flags };
  // `env` only runs the rest, so that there is a command in both cases.
  const world = [
    ...isolation(),
    process.execPath,
    fileURLToPath(new URL('world-program.ts', import.meta.url)),
  ];
  const child = spawn('env', world, {
    env: { ...process.env, ...compileCache, SVC_TEST_WORLD: JSON.stringify(order) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [report] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error('the isolated world ended before it was ready'))),
  ])) as [WorldReport];
  const doors = [
    new Agent({ connect: { socketPath: join(folder, 'daemon') }, bodyTimeout: 0 }),
    new Agent({ connect: { socketPath: join(folder, 'model') } }),
  ] as const;
  const client = createClient(contract, {
    baseUrl: report.url,
    fetch: (url, init) => fetch(url, { ...init, dispatcher: doors[0] }),
    headers: report.headers,
  });
  let projects = 0;
  return {
    client,
    home: report.home,
    isIsolated: !report.hasRoute,
    project(files = {}) {
      const project = join(folder, `project-${++projects}`);
      mkdirSync(project);
      for (const [name, text] of Object.entries(files)) place(project, name, text);
      return project;
    },
    write(files) {
      const before = Object.keys(files).map((name) => {
        const file = join(report.home, name);
        return [file, existsSync(file) ? readFileSync(file) : undefined] as const;
      });
      for (const [name, text] of Object.entries(files)) place(report.home, name, text);
      return () => {
        for (const [file, text] of before)
          if (text === undefined) rmSync(file, { force: true });
          else writeFileSync(file, text);
      };
    },
    async seen() {
      const answer = await fetch(`${report.model}/__seen`, { dispatcher: doors[1] });
      return (await answer.json()) as SeenRequest[];
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(doors.map((door) => door.destroy()));
      child.disconnect();
      await exited;
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
