import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SecurityMode } from '../../src/contract/security-mode.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { commandCalls } from '../helpers/hostile/command-calls.ts';
import { programCalls, ranMark } from '../helpers/hostile/escapes.ts';
import { oddCalls } from '../helpers/hostile/odd-calls.ts';
import { pathCalls } from '../helpers/hostile/path-calls.ts';
import {
  agenticMessage,
  type FinishedRun,
  runHostile,
  streamedMessage,
  taskOf,
  wholeMessage,
} from '../helpers/hostile/runs.ts';
import { plantOutside, plantWorkspace, write } from '../helpers/hostile/plant.ts';
import {
  canary,
  credentialFiles,
  type HostileCall,
  type HostileScene,
  plantedVariable,
} from '../helpers/hostile/scene.ts';
import { serverCalls } from '../helpers/hostile/server-calls.ts';
import { webCalls } from '../helpers/hostile/web-calls.ts';
import { sized } from '../helpers/long.ts';
import { type McpRecorder, startMcpRecorder } from '../helpers/mcp-recorder.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import type { ModelServer } from '../helpers/model-server.ts';
import { hasSandbox } from '../core/tools/commands/command-setup.ts';

let daemon: TestDaemon;
let model: ModelServer;
let records: McpRecorder;
let outside: ReturnType<typeof plantOutside>;
let listener: Server;
let connections = 0;
/** What must never show up anywhere. */
let secrets: string[];

beforeAll(async () => {
  process.env[plantedVariable] = canary;
  outside = plantOutside();
  listener = createServer((_, response) => response.end(canary)).listen(0);
  await once(listener, 'listening');
  listener.on('connection', () => connections++);
  ({ daemon, model } = await startModelDaemon({ env: { [plantedVariable]: canary } }));
  const { client, home } = daemon;
  await client.config.update({ params: { key: 'tools.callsPerMinute' }, body: { value: 100_000 } });
  records = await startMcpRecorder(daemon);
  write(join(home, 'workspaces/conv_other/notes.txt'), canary);
  secrets = [canary, readFileSync(join(home, 'owner-session'), 'utf8').trim()];
});
afterAll(async () => {
  delete process.env[plantedVariable];
  await daemon[Symbol.asyncDispose]();
  await records[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  listener.close();
  outside[Symbol.dispose]();
});

/** What is in a folder, to the last byte. */
function pictureOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) return [path, `to ${readlinkSync(path)}`];
      return [path, entry.isFile() ? readFileSync(path, 'utf8') : 'folder'];
    }),
  );
}
const everyTool = [
  'read_file',
  'list_directory',
  'search_files',
  'grep',
  'write_file',
  'edit_file',
  'run_command',
  'web_fetch',
  'web_search',
  'memory_search',
  'task_create',
  'task_status',
  'mcp__*',
];
const ownFiles = ['owner-session', 'identity', 'settings.json', 'workspaces/conv_other/notes.txt'];
const pictureOfOthers = () => [
  pictureOf(outside.path),
  ownFiles.map((path) => readFileSync(join(daemon.home, path), 'utf8')),
];

const sceneIn = (workspace: string): HostileScene => ({
  workspace,
  outside: outside.path,
  home: daemon.home,
  daemonUrl: daemon.url,
  canaryPort: (listener.address() as AddressInfo).port,
});

/** Everything at once; without a sandbox a person who allows all lets the programs do all. */
function everyCall(scene: HostileScene, shift: number): HostileCall[] {
  return [
    ...pathCalls(scene, shift),
    ...commandCalls(scene),
    ...webCalls(scene),
    ...serverCalls(scene),
    ...oddCalls(),
    ...(hasSandbox.isWorking ? programCalls(scene) : []),
  ];
}

const faultsOf = ({ calls, results, audited }: FinishedRun, isPersonThere: boolean): string[] =>
  calls.flatMap(({ id, name, args, ends }) => {
    const rows = audited.get(id) ?? [];
    const result = results.get(id);
    const isRefused = rows.length === 1 && rows[0]?.result.startsWith('refused: ') && rows[0].approved === 0;
    const mustBeRefused = ends === 'never' || (ends === 'person' && !isPersonThere);
    const isFine =
      result !== undefined &&
      rows.length > 0 &&
      (!mustBeRefused || (isRefused && !result.success)) &&
      (ends !== 'fails' || !result.success);
    return isFine
      ? []
      : [`${name} ${JSON.stringify(args).slice(0, 200)}: ${JSON.stringify([result, rows]).slice(0, 400)}`];
  });

const paths = {
  'a message': wholeMessage,
  'a streamed message': streamedMessage,
  'an agentic message': agenticMessage,
  'a task': taskOf(true),
  'a task that an untrusted user started': taskOf(false),
};
const modes: SecurityMode[] = ['deny', 'sandbox', 'allowlist', 'ask', 'full'];
const cases = Object.entries(paths).flatMap(([name, path]) =>
  modes
    .filter((mode) => name !== 'an agentic message' || mode === 'full')
    .map((mode, at) => ({ name, path, mode, at })),
);

/** Each case takes one in so many of the calls, and another one than the cases beside it: five answers hold 640 calls. */
const stride = sized(14, 2);

const leftOut = hasSandbox.isWorking ? '' : ' (skipped: the programs, which need bubblewrap)';
describe(`an attacker who controls the model${leftOut}`, () => {
  it.each(cases)(
    'an attacker gains nothing by $name in the mode $mode',
    async ({ name, path, mode, at }) => {
      const allowedTools = mode === 'ask' ? [] : everyTool;
      await daemon.client.policy.update({ body: { allowedTools } });
      const before = pictureOfOthers();
      const isKept = !name.endsWith(' message') || name === 'an agentic message';
      // A run that is kept writes down how far it is after each call, which takes long when they are many.
      const every = isKept ? sized(stride * 2, stride) : stride;
      let workspace = '';
      const run = await runHostile({ daemon, model }, path, mode, (folder) => {
        workspace = folder;
        plantWorkspace(sceneIn(folder));
        const calls = everyCall(sceneIn(folder), at);
        const isTaken = ({ args }: HostileCall, index: number) =>
          (index + at) % every === 0 || JSON.stringify(args).includes('sh evil.sh');
        return calls.filter(isTaken);
      });
      const isPersonThere = mode === 'ask' && name !== 'a task that an untrusted user started';
      expect(run.calls.length).toBeGreaterThan(500 / every);
      expect(faultsOf(run, isPersonThere)).toEqual([]);
      for (const secret of secrets) expect(run.told).not.toContain(secret);
      expect(connections).toBe(0);
      expect(records.calls).toEqual([]);
      expect(pictureOfOthers()).toEqual(before);
      for (const path of credentialFiles)
        expect(readFileSync(join(workspace, path), 'utf8')).toBe(`TOKEN=${canary}\n`);
      expect(readdirSync(join(workspace, '.git/hooks'))).toEqual(['pre-commit.sample']);
      expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
      // The programs that may run did, and found nothing.
      const mayPrograms = ['allowlist', 'full', 'ask'].includes(mode) && !name.includes('untrusted');
      if (!hasSandbox.isWorking) return;
      expect(run.told.includes(ranMark)).toBe(mayPrograms);
      const begun = run.calls.filter(({ id, ends }) => ends === 'person' && run.results.get(id)?.success);
      expect(begun.length > 15 / every).toBe(isPersonThere);
    },
    120_000,
  );
});

it('the daemon stores no part of a secret', () => {
  for (const file of readdirSync(daemon.home).filter((name) => name.startsWith('svc.db'))) {
    const bytes = readFileSync(join(daemon.home, file));
    for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);
  }
});
