import { call, noSandbox, path } from './command-parts.ts';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';

/** Plays the daemon that dies: runs one command in the place that its arguments name. */
const [place, workspace = '', command = ''] = process.argv.slice(2);
const options = { path, home: '/root', hiddenFolders: [] };

/** Bubblewrap in its first moments, before it asks to be killed together with the daemon. */
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

const places: Record<string, () => Sandbox> = {
  'in the sandbox': () => new Sandbox(options),
  'in a sandbox that just begins': () => new UnboundSandbox(options),
};
const sandbox = (places[place ?? ''] ?? noSandbox)();
await call(command, { workspace, sandbox, mayRunCommands: true });
