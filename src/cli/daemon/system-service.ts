import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError } from '../cli-error.ts';
import type { Cli } from '../cli.ts';
import { exitCodes } from '../exit-codes.ts';

const label = 'local.svc.daemon';

/** `svc daemon install`: writes the description; the user lets the system read it. */
export function installService(cli: Cli): void {
  const service = serviceFor(cli);
  mkdirSync(dirname(service.file), { recursive: true });
  writeFileSync(service.file, service.text, { mode: 0o644 });
  cli.output.note(`Written: ${service.file}\nNow run: ${service.start}`);
}

/** `svc daemon uninstall`. */
export function uninstallService(cli: Cli): void {
  const service = serviceFor(cli);
  if (!existsSync(service.file)) return cli.output.note('It is not installed.');
  rmSync(service.file);
  cli.output.note(`Removed: ${service.file}\nNow run: ${service.stop}`);
}

interface Service {
  file: string;
  text: string;
  start: string;
  stop: string;
}

function serviceFor({ surroundings: { platform, home, env } }: Cli): Service {
  const command = [process.execPath, process.argv[1] ?? '', 'daemon'];
  // The daemon must find the programs of the agents, and its own home.
  const variables = Object.entries({ PATH: env['PATH'], SVC_HOME: env['SVC_HOME'] }).flatMap(
    ([name, value]) => (value ? [[name, value] as const] : []),
  );
  if (platform === 'linux') return systemdUnit(home, env['XDG_CONFIG_HOME'], command, variables);
  if (platform === 'darwin') return launchAgent(home, command, variables);
  throw new CliError(exitCodes.failed, `svc does not know how ${platform} starts services.`, {
    next: 'Start it yourself: svc daemon start',
  });
}

type Variables = (readonly [string, string])[];

function systemdUnit(
  home: string,
  config: string | undefined,
  command: string[],
  variables: Variables,
): Service {
  const quote = (text: string) =>
    `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
  return {
    file: `${config?.startsWith('/') ? config : `${home}/.config`}/systemd/user/svc.service`,
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
    stop: 'systemctl --user disable --now svc; systemctl --user daemon-reload',
  };
}

function launchAgent(home: string, command: string[], variables: Variables): Service {
  const file = `${home}/Library/LaunchAgents/${label}.plist`;
  const string = (text: string) =>
    `<string>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</string>`;
  return {
    file,
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
