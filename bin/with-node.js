// node bin/with-node.js COMMAND [ARGS]: runs a development tool on a Node.js new enough for svc.
import { spawn } from 'node:child_process';
import { findRuntime, pathWith } from './runtime.js';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, {
  stdio: 'inherit',
  env: { ...process.env, PATH: pathWith(findRuntime()) },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
