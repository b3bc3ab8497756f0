import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startServer } from './child.ts';
import { cpuOfChildren } from './cpu.ts';
import { type Figure, median } from './report.ts';

const RUNS = 10;
const agent = fileURLToPath(new URL('servers/stand-in-agent.ts', import.meta.url));

/** What one run took: until it had ended, and of CPU with all that it started. */
interface Run {
  ms: number;
  cpuMs: number;
}

/**
 * A run of a coding agent under svc beside the bare program, and in a worktree also beside what a person would type: what
 * svc adds to it in time and in CPU.
 */
export async function agents(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const svc = await startServer('agent-tasks', { SVC_HOME: home });
  const { repository, isSandboxed } = (await svc.ask('about')) as {
    repository: string;
    isSandboxed: boolean;
  };
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const underSvc = async (place: string): Promise<Run> => {
    const task = (await svc.ask({ place })) as { end: string; ms: number; cpuMs: number; output: string };
    if (task.end !== 'completed') throw new Error(`the task of the stand-in agent ended with ${task.end}`);
    // Nothing outside of a sandbox is told what was used in it.
    return { ms: task.ms, cpuMs: task.cpuMs + (isSandboxed ? cpuIn(task.output) : 0) };
  };
  const bare = () => runBare(directory);
  const byHand = () => runByHand(repository, join(directory, 'worktree'));
  const plain = await inTurn({ svc: () => underSvc('directory'), bare });
  const worktree = await inTurn({ svc: () => underSvc('repository'), bare, byHand });
  await svc.stop();
  for (const path of [home, directory]) rmSync(path, { recursive: true, force: true });
  const run = 'a run of a coding agent (4 s, 200 pieces of text, a file changed)';
  const cpu = 'CPU of svc and all that it starts during such a run';
  return [
    added(`${run} in its directory, ms added`, plain, 'bare', 150),
    cpuAdded(`${cpu} in its directory, in percent of one core`, plain, 'bare', 5),
    added(`${run} in a worktree of its own, ms added to the same by hand with git`, worktree, 'byHand', 150),
    added(`${run} in a worktree of its own, ms added`, worktree, 'bare', 250),
    cpuAdded(
      `${cpu} in a worktree, in percent of one core, beside the same by hand with git`,
      worktree,
      'byHand',
      15,
    ),
  ];
}

type Runs<Name extends string> = Record<Name, Run[]>;

/** Runs each of them in turn. */
async function inTurn<Name extends string>(all: Record<Name, () => Promise<Run>>): Promise<Runs<Name>> {
  const names = Object.keys(all) as Name[];
  const runs = Object.fromEntries(names.map((name) => [name, [] as Run[]])) as Runs<Name>;
  for (let round = 0; round < RUNS + 2; round++)
    for (const name of names) {
      const run = await all[name]();
      // The first rounds load what an idle daemon has not loaded.
      if (round >= 2) runs[name].push(run);
    }
  return runs;
}

const called = { bare: 'the bare program', byHand: 'by hand' };
type Baseline = keyof typeof called;

function added<Name extends Baseline>(
  name: string,
  runs: Runs<Name | 'svc'>,
  baseline: Name,
  most: number,
): Figure {
  const [ours, theirs] = [runs.svc, runs[baseline]].map((all) => all.map(({ ms }) => ms)) as [
    number[],
    number[],
  ];
  return {
    name,
    ours: `${median(ours).toFixed(0)} ms`,
    baseline: `${called[baseline]} ${median(theirs).toFixed(0)} ms`,
    value: median(ours.map((ms, at) => ms - (theirs[at] ?? Number.NaN))),
    bound: { most },
  };
}

function cpuAdded<Name extends Baseline>(
  name: string,
  runs: Runs<Name | 'svc'>,
  baseline: Name,
  most: number,
): Figure {
  const meanOf = (all: readonly Run[], of: keyof Run) =>
    all.reduce((sum, run) => sum + run[of], 0) / all.length;
  const [ours, theirs] = [meanOf(runs.svc, 'cpuMs'), meanOf(runs[baseline], 'cpuMs')];
  return {
    name,
    ours: `${ours.toFixed(0)} ms`,
    baseline: `${called[baseline]} ${theirs.toFixed(0)} ms`,
    value: ((ours - theirs) / meanOf(runs.svc, 'ms')) * 100,
    bound: { most },
  };
}

/** The same conversation without svc, until the program has exited. */
async function runBare(cwd: string): Promise<Run> {
  const began = performance.now();
  const child = spawn(process.execPath, [agent], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const requests = ['initialize', 'session/new', 'session/prompt'];
  const send = (id: number) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: requests[id], params: {} })}\n`);
  send(0);
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) {
    const { id } = JSON.parse(line) as { id?: number };
    if (id === undefined) last = line;
    else if (id === requests.length - 1) child.stdin.end();
    else send(id + 1);
  }
  await exited;
  const { params } = JSON.parse(last) as { params: { update: { content: { text: string } } } };
  return { ms: performance.now() - began, cpuMs: cpuIn(params.update.content.text) };
}

/** The same as in a worktree under svc: the files are stored as a tree, and what changed is counted. */
async function runByHand(repository: string, worktree: string): Promise<Run> {
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd });
  const before = cpuOfChildren();
  const began = performance.now();
  git(repository, 'worktree', 'add', '--quiet', '-b', 'by-hand', worktree);
  const added = performance.now() - began;
  const ofAdding = cpuOfChildren() - before;
  const run = await runBare(worktree);
  const beforeEnd = cpuOfChildren();
  const ended = performance.now();
  git(worktree, 'add', '-A');
  git(worktree, 'write-tree');
  git(worktree, 'diff', '--cached', '--numstat');
  const ms = added + run.ms + performance.now() - ended;
  const cpuMs = ofAdding + run.cpuMs + cpuOfChildren() - beforeEnd;
  // svc keeps a worktree with changes.
  git(repository, 'worktree', 'remove', '--force', worktree);
  git(repository, 'branch', '--quiet', '-D', 'by-hand');
  return { ms, cpuMs };
}

/** What the stand-in agent says of itself at last. */
const cpuIn = (text: string): number => Number(text.split(' ').at(-1));
