import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTaskSchema } from '../../src/contract/task.ts';
import { owner } from '../../src/core/auth/owner.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { cpuOfChildren, cpuOfProcess } from '../cpu.ts';

const FILES = 200;

/** Runs the stand-in agent as a task, from its creation to its recorded end. */
const daemon = await startDaemon({
  flags: {
    'server.port': 0,
    'log.level': 'warn',
    'agents.added': {
      'stand-in': {
        program: process.execPath,
        args: [fileURLToPath(new URL('stand-in-agent.ts', import.meta.url))],
        env: {},
      },
    },
  },
});
const { app } = daemon;
const folder = () => realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-')));
const places = { directory: folder(), repository: folder() };
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', ...args], {
    cwd: places.repository,
  });
for (let file = 0; file < FILES; file++)
  writeFileSync(join(places.repository, `file-${file}.txt`), `${file}\n`.repeat(50));
git('init', '-q');
git('add', '-A');
git('commit', '-q', '-m', 'First');

process.on('message', (question: 'about' | { place: keyof typeof places }) => {
  void (question === 'about' ? about() : run(places[question.place])).then((answer) =>
    process.send?.(answer),
  );
});
process.on('SIGTERM', () => {
  void daemon.close(0).then(() => {
    rmSync(daemon.locations.data, { recursive: true });
    for (const place of Object.values(places)) rmSync(place, { recursive: true });
    process.exit(0);
  });
});
process.send?.({ url: daemon.url, headers: {} });

const about = async () => ({
  repository: places.repository,
  isSandboxed: (await app.sandbox.check()).isWorking,
});

async function run(cwd: string) {
  const before = cpuOfProcess() + cpuOfChildren();
  const started = performance.now();
  const ended = new Promise<string>((resolve) => {
    app.bus.on('task', ({ event: { type, message } }) => {
      if (type === 'completed') resolve(type);
      if (type === 'dead_lettered' || type === 'waiting_for_agent') resolve(`${type}: ${message}`);
    });
  });
  const input = createTaskSchema.parse({
    title: 'A stand-in',
    prompt: 'Work.',
    assignedAgent: 'stand-in',
    cwd,
    maxAttempts: 1,
  });
  const { task } = await app.tasks.create(owner, input);
  const end = await ended;
  const ms = performance.now() - started;
  const cpuMs = cpuOfProcess() + cpuOfChildren() - before;
  const { result } = await app.tasks.get(owner, task.id);
  return { end, ms, cpuMs, output: result?.output ?? '' };
}
