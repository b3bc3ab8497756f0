import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { daemonEnvironment, programPath } from '../../connection/start-daemon-process.ts';

const label = 'local.svc.daemon';

/** `svc daemon install`: writes the service file; the user activates it. */
export function installService(cli: Cli): void {
  const service = serviceFor(cli);
  mkdirSync(dirname(service.file), { recursive: true });
  // What the environment holds may be secret.
  rmSync(service.file, { force: true });
  writeFileSync(service.file, service.text, { mode: 0o600 });
  cli.output.note(`Written: ${service.file}`);
  if (isOfNpx(programPath()))
    cli.output.note(
      `${cli.output.paintError('yellow', '!')} It starts svc from the cache of npx, which npm may clear. Install svc, then run this again.`,
    );
  cli.output.note(`Now run:\n  ${service.start}`);
  if (service.afterReboot !== undefined) cli.output.note(service.afterReboot);
}

/** `svc daemon uninstall`: the command that stops the service works without the file too. */
export function uninstallService(cli: Cli): void {
  if (!removeService(cli)) cli.output.note('The service is not installed.');
}

/** Removes the service file and says so; returns whether there was one. */
export function removeService(cli: Cli): boolean {
  if (!['linux', 'darwin'].includes(cli.platform.platform)) return false;
  const service = serviceFor(cli);
  if (!existsSync(service.file)) return false;
  for (const file of [service.file, ...service.links]) rmSync(file, { force: true });
  cli.output.note(`Removed: ${service.file}\nIf it is running, stop it:\n  ${service.stop}`);
  return true;
}

interface Service {
  file: string;
  /** Links that the system created, which would dangle. */
  links: string[];
  text: string;
  start: string;
  stop: string;
  /** What else it takes to start without a login. */
  afterReboot?: string;
}

function serviceFor(cli: Cli): Service {
  const { platform, home, env } = cli.platform;
  const command = [process.execPath, programPath(), 'daemon'];
  const variables = variablesFor(cli);
  if (platform === 'linux') return systemdUnit(home, env['XDG_CONFIG_HOME'], command, variables);
  if (platform === 'darwin') return launchAgent(home, command, variables);
  throw new CliError(exitCodes.failed, `Installing a service is not supported on ${platform}.`, {
    next: 'Start it yourself: svc daemon start',
  });
}

type Variables = [string, string][];

/** The daemon needs the PATH of the agents' programs and its own variables. */
function variablesFor(cli: Cli): Variables {
  const { PATH = '', ...others } = daemonEnvironment(cli);
  const path = PATH.split(':').filter((folder) => !isOfNpx(folder));
  const own = Object.entries(others).filter(
    (entry): entry is [string, string] => entry[0].startsWith('SVC_') && Boolean(entry[1]),
  );
  return [['PATH', path.join(':')], ...own];
}

/** Directories that npx adds to PATH temporarily. */
const isOfNpx = (path: string) => /\/_npx\/|\/node-gyp-bin$|\/node_modules\/\.bin$/.test(path);

function systemdUnit(
  home: string,
  config: string | undefined,
  command: string[],
  variables: Variables,
): Service {
  const quote = (text: string) =>
    `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('\n', '\\n')}"`;
  const folder = `${config?.startsWith('/') ? config : `${home}/.config`}/systemd/user`;
  return {
    file: `${folder}/svc.service`,
    links: [`${folder}/default.target.wants/svc.service`],
    text: `[Unit]
Description=svc, orchestration of AI agents

[Service]
ExecStart=${command.map(quote).join(' ')}
${variables.map(([name, value]) => `Environment=${quote(`${name}=${value}`)}\n`).join('')}Restart=on-failure
RestartPreventExitStatus=78
TimeoutStopSec=40

[Install]
WantedBy=default.target
`,
    start: 'systemctl --user daemon-reload && systemctl --user enable --now svc',
    stop: 'systemctl --user stop svc; systemctl --user daemon-reload',
    ...(!isLingering() && {
      afterReboot:
        'It starts when you sign in and stops when you sign out. To start it at boot and keep it running:\n  loginctl enable-linger',
    }),
  };
}

/** Whether the services of this user run without a session: systemd keeps a file per such user. */
const isLingering = (): boolean => existsSync(join('/var/lib/systemd/linger', userName()));

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name, and systemd does not know it.
    return '-';
  }
}

function launchAgent(home: string, command: string[], variables: Variables): Service {
  const file = `${home}/Library/LaunchAgents/${label}.plist`;
  const string = (text: string) =>
    `<string>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</string>`;
  return {
    file,
    links: [],
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>Label</key>${string(label)}
  <key>ProgramArguments</key><array>${command.map(string).join('')}</array>
  <key>EnvironmentVariables</key><dict>${variables.map(([name, value]) => `<key>${name}</key>${string(value)}`).join('')}</dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`,
    start: `launchctl load -w ${file}`,
    stop: `launchctl remove ${label}`,
  };
}
