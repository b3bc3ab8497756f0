// Stands in for a daemon: starts a program through the process that forks, tells its mark, and waits to be killed.
import { ForkServer } from '../../../../src/core/processes/fork-server/fork-server.ts';
import { runProgram } from '../../../../src/core/processes/run-program.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';

const [folder = '', mark = ''] = process.argv.slice(2);
const server = new ForkServer({ socket: `${folder}/fork.sock`, runtime: systemRuntime });
await server.open();
await runProgram({
  argv: ['/bin/sh', '-c', 'sleep 600 & echo started; exec sleep 600'],
  cwd: folder,
  env: { PATH: process.env['PATH'] },
  mark,
  signal: new AbortController().signal,
  start: server.start,
  onOutput: () => void process.stdout.write(`${server.pid}\n`),
});
