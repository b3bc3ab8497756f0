import { runProgram } from '../../../src/core/processes/run-program.ts';
import { Sandbox } from '../../../src/core/processes/sandbox.ts';
import { StdioTransport } from '../../../src/core/tools/mcp/stdio-transport.ts';

/** Plays a daemon that was started with open descriptors: prints those that a program of the given kind has. */
const [kind = '', cwd = '/'] = process.argv.slice(2);
const path = process.env['PATH'] ?? '';
const list = ['ls', '/proc/self/fd'];

if (kind === 'mcp') {
  const script =
    'for f in /proc/self/fd/*; do echo "{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"${f##*/}\\"}"; done; echo \'{"jsonrpc":"2.0","method":"end"}\'; read -r _';
  const program = { command: 'sh', args: ['-c', script], cwd, env: { PATH: path }, mark: 'test/mcp' };
  const transport = new StdioTransport(program, () => performance.now());
  transport.onmessage = (message) => {
    if (!('method' in message)) return;
    if (message.method === 'end') void transport.close();
    else process.stdout.write(`${message.method}\n`);
  };
  transport.onclose = () => process.exit();
  await transport.start();
} else {
  const sandbox = new Sandbox({ path, home: '/root', hiddenDirectories: [] });
  if (kind === 'sandboxed') await sandbox.check();
  const argv =
    kind === 'sandboxed'
      ? await sandbox.wrap({ argv: list, cwd, workspace: cwd, env: { PATH: path } })
      : list;
  await runProgram({
    argv,
    cwd: '/',
    env: { PATH: path },
    mark: 'test/descriptors',
    signal: new AbortController().signal,
    onOutput: (chunk) => void process.stdout.write(chunk),
  });
}
