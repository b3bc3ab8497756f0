import { call, noSandbox, path } from './command-setup.ts';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';

/** Plays a daemon that is killed: runs one command in the sandbox that its arguments name. */
const [kind, workspace = '', command = ''] = process.argv.slice(2);
const options = { path, home: '/root', hiddenDirectories: [] };

/** Bubblewrap right after its start, before it asks the kernel to be killed together with the daemon. */
class UnboundSandbox extends Sandbox {
  override check = () => Promise.resolve({ isWorking: true as const });
  override wrap = ({ argv, cwd, env }: Parameters<Sandbox['wrap']>[0]) =>
    Promise.resolve([
      '/usr/bin/env',
      '-C',
      cwd,
      ...Object.entries(env).map((pair) => pair.join('=')),
      ...argv,
    ]);
}

const sandboxes: Record<string, () => Sandbox> = {
  'in the sandbox': () => new Sandbox(options),
  'in a sandbox that is starting': () => new UnboundSandbox(options),
};
const sandbox = (sandboxes[kind ?? ''] ?? noSandbox)();
await call(command, { workspace, sandbox, mayRunCommands: true });
