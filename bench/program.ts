import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The launcher of the built program. */
export const svc: string = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
export const port: number = 20_000 + (process.pid % 10_000);

/** Starts the built daemon as a person would; `ms` until it is ready. */
export async function startProgram(env: NodeJS.ProcessEnv): Promise<{ daemon: ChildProcess; ms: number }> {
  const began = performance.now();
  const daemon = spawn(process.execPath, [svc, 'daemon'], { env, stdio: 'ignore' });
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/api/health/ready`).catch(() => undefined);
    if (daemon.exitCode !== null) throw new Error(`the daemon ended with ${daemon.exitCode}`);
    if (response?.status === 200) return { daemon, ms: performance.now() - began };
    await delay(2);
  }
}

export async function stopProgram(daemon: ChildProcess): Promise<void> {
  const gone = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  await gone;
}

export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
