import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../../compile-cache.ts';
import type { ClientOrder, ClientReport } from './client-program.ts';
import { isolation, scriptedModels } from './isolated-world.ts';

/** Runs prompts with a real agent that has svc as a server of MCP, in a network of its own that leads nowhere. */
export async function runAsClient(order: Omit<ClientOrder, 'folder' | 'models'>): Promise<ClientReport> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-client-')));
  const whole: ClientOrder = { ...order, folder, models: scriptedModels };
  const program = fileURLToPath(new URL('client-program.ts', import.meta.url));
  // `env` only runs the rest, so that there is a command in both cases.
  const child = spawn('env', [...isolation(), process.execPath, program], {
    env: { ...process.env, ...compileCache, SVC_TEST_CLIENT: JSON.stringify(whole) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  try {
    const [report] = (await Promise.race([
      once(child, 'message'),
      exited.then(() => Promise.reject(new Error('the agent was not run to its end'))),
    ])) as [ClientReport];
    return report;
  } finally {
    await exited;
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
