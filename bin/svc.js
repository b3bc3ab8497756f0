#!/usr/bin/env sh
':' /*
f=${XDG_CACHE_HOME:-$HOME/.cache}/svc/runtime
[ -r "$f" ] && read -r n <"$f" && [ -x "$n" ] && exec "$n" -- "$0" "$@"
exec node -- "$0" "$@"
# */;
// Starts the built command line on a Node.js that is new enough. The lines above are for the shell: it takes the Node.js that
// an earlier start found where the first one in PATH was too old. Only behind `--` does Node.js leave our option `--env-file`
// alone, and the `env` of Alpine cannot pass arguments (`-S`).
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
  const runtime = findRuntime();
  const args = [...process.execArgv, '--', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  if (process.execve && process.platform === 'linux') {
    await rememberRuntime(runtime);
    process.execve(runtime, [runtime, ...args]);
  }
  const { spawn } = await import('node:child_process');
  const child = spawn(runtime, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, SVC_LAUNCHER_IPC: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])
    process.on(signal, () => child.kill(signal));
  child.on('spawn', () => void rememberRuntime(runtime));
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

/** The next start needs only one Node.js. A home that cannot be written to only makes it slower. */
async function rememberRuntime(runtime) {
  const directory = cacheDirectory(process.env, process.platform);
  if (directory === undefined) return;
  const { writeFileSync } = await import('node:fs');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(`${directory}/runtime`, `${runtime}\n`, { mode: 0o600 });
  } catch {
    // As above.
  }
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
