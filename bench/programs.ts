import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { port, residentMiB, startProgram, stopProgram, svc } from './program.ts';
import { type Figure, median } from './report.ts';

const RUNS = 15;
const STARTS = 11;
const INSTALLS = 5;

/** The programs as a whole: the command line beside an empty Node.js, and the daemon's start and size. */
export async function programs(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const env = { ...process.env, SVC_HOME: home, SVC_PORT: String(port), SVC_NO_AUTOSTART: '1' };
  const starts: number[] = [];
  const emptyBesideStarts: number[] = [];
  for (let run = 0; run < STARTS + 1; run++) {
    const alone = timeOf(process.execPath, ['-e', '0'], env);
    const { daemon, ms } = await startProgram(env);
    await stopProgram(daemon);
    // The first start fills the compile cache and makes the database.
    if (run === 0) continue;
    starts.push(ms);
    emptyBesideStarts.push(alone);
  }
  const { daemon } = await startProgram(env);
  // What the start needed is given back after a moment.
  await delay(3000);
  const rss = residentMiB(daemon.pid ?? 0);
  const empty: number[] = [];
  const commands: Command[] = [
    { args: [svc, '--version'], most: 1.5, times: [] },
    { args: [svc, 'tasks', 'ls'], most: 4.5, times: [] },
    { args: [svc, 'run', '--agent', 'command', '--', 'true'], most: 5.5, times: [] },
    // Where it is too old for svc, the launcher starts the Node.js that npm installed.
    ...systemNode().map((node) => ({ node, args: [svc, '--version'], most: 3, times: [] })),
  ];
  for (let run = 0; run < RUNS + 2; run++) {
    const alone = timeOf(process.execPath, ['-e', '0'], env);
    const times = commands.map(({ node, args }) =>
      node ? timeOfLink(node, args, env) : timeOf(process.execPath, args, env),
    );
    // The first rounds fill the compile cache.
    if (run < 2) continue;
    empty.push(alone);
    commands.forEach((command, n) => command.times.push(times[n] ?? Number.NaN));
  }
  await stopProgram(daemon);
  rmSync(home, { recursive: true });
  const beside = `node -e 0 ${median(empty).toFixed(0)} ms`;
  const ratio = (times: number[], alone = empty) =>
    median(times.map((ms, run) => ms / (alone[run] ?? Number.NaN)));
  return [
    ...commands.map(({ node, args, times, most }) => ({
      name: `svc ${args.slice(1).join(' ')}, ${node ? `on the system's Node.js (${node})` : 'beside a daemon'}`,
      ours: `${median(times).toFixed(0)} ms`,
      baseline: beside,
      value: ratio(times),
      bound: { most },
    })),
    {
      name: 'node bin/svc.js daemon until the first 200',
      ours: `${median(starts).toFixed(0)} ms`,
      baseline: `node -e 0 ${median(emptyBesideStarts).toFixed(0)} ms`,
      value: ratio(starts, emptyBesideStarts),
      bound: { most: 6 },
    },
    {
      name: 'RSS of the idle daemon',
      ours: `${rss.toFixed(0)} MiB`,
      baseline: '',
      value: rss,
      bound: { most: 90 },
    },
    ...installed(),
  ];
}

interface Command {
  /** Another Node.js than this one. */
  node?: string;
  args: string[];
  most: number;
  times: number[];
}

/** The Node.js of the system, where it is another than this one. */
function systemNode(): string[] {
  return ['/usr/bin/node', '/usr/local/bin/node']
    .filter((path) => existsSync(path) && realpathSync(path) !== realpathSync(process.execPath))
    .slice(0, 1);
}

/** The package in an empty project, from a warm cache: its size without the Node.js that npm installs beside it, and npx. */
function installed(): Figure[] {
  const project = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const npm = (...args: string[]) =>
    timeOf('npm', [...args, '--no-audit', '--no-fund'], process.env, project);
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', project];
  const { stdout } = spawnSync('npm', pack, { cwd: dirname(dirname(svc)), encoding: 'utf8' });
  const [{ unpackedSize, filename }] = JSON.parse(stdout) as [{ unpackedSize: number; filename: string }];
  writeFileSync(join(project, 'package.json'), '{}');
  const installs: number[] = [];
  // The first one fills the cache.
  for (let run = 0; run < INSTALLS + 1; run++) {
    rmSync(join(project, 'node_modules'), { recursive: true, force: true });
    const ms = npm('install', '--prefer-offline', '--no-save', `./${filename}`);
    if (run > 0) installs.push(ms);
  }
  const { packages } = JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: object;
  };
  const ratios: number[] = [];
  const times: number[] = [];
  for (let run = 0; run < INSTALLS; run++) {
    const alone = timeOf(process.execPath, ['-e', '0'], process.env);
    const ms = timeOf('npx', ['--no-install', 'svc', '--version'], process.env, project);
    times.push(ms);
    ratios.push(ms / alone);
  }
  rmSync(project, { recursive: true });
  const size = unpackedSize / 2 ** 20;
  const count = Object.keys(packages).length;
  return [
    figure('svc --version by npx', `${median(times).toFixed(0)} ms`, median(ratios), 40),
    figure('size of the package', `${size.toFixed(1)} MiB`, size, 60),
    figure('packages that it installs, itself and Node.js among them', String(count), count, 25),
    figure(
      'installing it from a warm cache',
      `${(median(installs) / 1000).toFixed(1)} s`,
      median(installs) / 1000,
      10,
    ),
  ];
}

const figure = (name: string, ours: string, value: number, most: number): Figure => ({
  name,
  ours,
  baseline: '',
  value,
  bound: { most },
});

/** By the link in PATH, as a shell starts it, where `node` is the first Node.js there. */
function timeOfLink(node: string, [program = '', ...args]: string[], env: NodeJS.ProcessEnv): number {
  return timeOf(program, args, { ...env, PATH: `${dirname(node)}${delimiter}${env['PATH']}` });
}

function timeOf(node: string, args: string[], env: NodeJS.ProcessEnv, cwd = process.cwd()): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(node, args, { env, cwd });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.toString()}`);
  return performance.now() - began;
}
