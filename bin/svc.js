#!/usr/bin/env node
// Starts the built command line on a Node.js that is new enough.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { findRuntime, isCurrent } from './runtime.js';

const main = new URL('../dist/cli/main.js', import.meta.url);

if (!existsSync(main)) {
  console.error('svc is not built. Run: npm run build');
  process.exit(78);
}
process.env.NODE_ENV ??= 'production'; // React and Ink take their fast build from this

if (isCurrent) {
  if (process.env.SVC_LAUNCHER_IPC && process.send) {
    delete process.env.SVC_LAUNCHER_IPC;
    process.channel?.unref();
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM')); // the launcher was killed
  }
  module.enableCompileCache();
  await import(main.href);
} else {
  const child = spawn(
    findRuntime(),
    [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: { ...process.env, SVC_LAUNCHER_IPC: '1' } },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
