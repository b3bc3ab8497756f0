#!/usr/bin/env sh
':' + /*; exec node -- "$0" "$@" # */ ''; // oxlint-disable-line no-unused-expressions
// Starts the built command line on a Node.js that is new enough. The line above is for the shell: only behind `--` does
// Node.js leave our option `--env-file` alone, and the `env` of Alpine cannot pass arguments (`-S`).
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { cacheDirectory, findRuntime, isCurrent } from './runtime.js';

// An import of it would load streams, too. The oldest Node.js that this file runs on has no getBuiltinModule.
const { existsSync, mkdirSync } = process.getBuiltinModule?.('node:fs') ?? (await import('node:fs'));
const main = new URL('../dist/main.js', import.meta.url);

if (!existsSync(main)) {
  console.error('svc is not built. Run: npm run build');
  process.exit(78);
}

if (isCurrent) {
  if (process.env.SVC_LAUNCHER_IPC && process.send) {
    delete process.env.SVC_LAUNCHER_IPC;
    process.channel?.unref();
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM')); // the launcher was killed
  }
  cacheCompiledCode();
  // Stack traces with the lines of the sources; reading the maps takes longer than most commands.
  if (process.argv.includes('--debug')) module.setSourceMapsSupport(true, { nodeModules: true });
  await import(main.href);
} else {
  const { spawn } = await import('node:child_process');
  const runtime = findRuntime();
  const child = spawn(
    runtime,
    [...process.execArgv, '--', fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: { ...process.env, SVC_LAUNCHER_IPC: '1' } },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])
    process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    // The installed Node.js needs glibc, which Alpine does not have.
    console.error(`svc cannot start ${runtime} (${error.code}). Install Node.js 24.`);
    process.exit(78);
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Most of a start would be compiling. A home that cannot be written to only makes it slower; a user may have a cache for all programs. */
function cacheCompiledCode() {
  const directory = cacheDirectory(process.env, process.platform);
  if (directory === undefined || process.env.NODE_COMPILE_CACHE) return;
  try {
    // Others must not be able to put code there.
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch {
    return;
  }
  module.enableCompileCache(directory);
}
