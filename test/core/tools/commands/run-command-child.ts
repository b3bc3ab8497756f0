import { call, noSandbox, path } from './command-parts.ts';
import { Sandbox } from '../../../../src/core/tools/commands/sandbox.ts';

/** Plays the daemon that dies: runs one command in the place that its arguments name. */
const [place, workspace = '', command = ''] = process.argv.slice(2);
const sandbox =
  place === 'in the sandbox' ? new Sandbox({ path, home: '/root', hiddenFolders: [] }) : noSandbox();
await call(command, { workspace, sandbox, mayRunCommands: true });
