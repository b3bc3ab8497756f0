import { join, relative } from 'node:path';
import { credentialFiles, type HostileCall, type HostileScene } from './scene.ts';

/** Calls of a tool of an MCP server with paths and commands: the server must not even hear of them. */
export function serverCalls({ workspace, outside, home }: HostileScene): HostileCall[] {
  const absolute = `${outside}/secret.txt`;
  const up = relative(workspace, absolute);
  const paths = [
    absolute,
    up,
    `file://${absolute}`,
    up.replaceAll('../', '%2e%2e%2f'),
    up.replaceAll('../', '..\\'),
    '/etc/passwd',
    '/proc/self/environ',
    '~/.ssh/id_rsa',
    'link-file',
    'link-dir/secret.txt',
    'link-chain/new.txt',
    ...['owner-session', 'svc.db', 'workspaces/conv_other/notes.txt'].map((path) => join(home, path)),
    ...credentialFiles,
  ];
  const commands = [
    'ls; env',
    'ls | sh',
    'ls && env',
    '$(env)',
    '`env`',
    'echo $HOME',
    'ls > x',
    'cat < notes.txt',
    'ls\nenv',
  ];
  const args: object[] = [
    ...paths.flatMap((path) => [
      { path },
      { options: { files: [path] } },
      { sourceDirectory: path },
      { uri: path },
    ]),
    ...paths.slice(0, 8).map((path) => ({ text: path })),
    ...commands.flatMap((command) => [
      { command },
      { cmd: command },
      { shellScript: command },
      { run: { args: [command] } },
    ]),
    { path: '.git/hooks/pre-commit', content: 'x' },
    { directory: '.git/config' },
  ];
  return args.map((each) => ({ name: 'mcp__records__echo', args: each, ends: 'never' }));
}
