import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option, optionWithDefault } from '../program/options.ts';
import { text, wholeNumber } from '../program/value-type.ts';

const listenOptions = [
  option('--host <host>', 'Address to listen on', text),
  option('--port <port>', 'Port to listen on; 0 picks a free one', wholeNumber),
] as const;
const stateAsJson = flag('--json', 'Print its state as JSON');

const start = defineCommand({
  name: 'start',
  summary: 'Start the daemon in the background',
  examples: ['svc daemon start', 'svc daemon start --port 5000'],
  inherited: listenOptions,
  options: [stateAsJson],
  run: async ({ cli, options }) => (await import('./daemon/daemon-control.ts')).startDaemon(cli, options),
});

const stop = defineCommand({
  name: 'stop',
  summary: 'Stop the daemon; running tasks get 30 s to finish',
  examples: ['svc daemon stop'],
  options: [stateAsJson],
  run: async ({ cli, options }) => (await import('./daemon/daemon-control.ts')).stopDaemon(cli, options),
});

const restart = defineCommand({
  name: 'restart',
  summary: 'Restart the daemon',
  examples: ['svc daemon restart'],
  inherited: listenOptions,
  options: [stateAsJson],
  run: async ({ cli, options }) => (await import('./daemon/daemon-control.ts')).restartDaemon(cli, options),
});

const status = defineCommand({
  name: 'status',
  summary: 'Show whether the daemon is running (exit code 69 if not)',
  examples: ['svc daemon status', 'svc daemon status --json'],
  options: [stateAsJson],
  run: async ({ cli, options }) => (await import('./daemon/daemon-control.ts')).showStatus(cli, options),
});

const logs = defineCommand({
  name: 'logs',
  summary: 'Print the daemon log',
  examples: ['svc daemon logs -n 20', 'svc daemon logs -f'],
  options: [
    flag('-f, --follow', 'Continue as the log grows'),
    optionWithDefault('-n, --lines <n>', 'Number of lines', wholeNumber, 50),
    flag('--json', 'Print the lines unformatted'),
  ],
  run: async ({ cli, options }) => (await import('./daemon/daemon-logs.ts')).showLogs(cli, options),
});

const install = defineCommand({
  name: 'install',
  summary: 'Install a user service that starts the daemon at login',
  examples: ['svc daemon install'],
  run: async ({ cli }) => (await import('./daemon/system-service.ts')).installService(cli),
});

const uninstall = defineCommand({
  name: 'uninstall',
  summary: 'Remove the user service',
  examples: ['svc daemon uninstall'],
  run: async ({ cli }) => (await import('./daemon/system-service.ts')).uninstallService(cli),
});

export const daemon = defineNoun({
  name: 'daemon',
  summary: 'Run the daemon in the foreground, or manage it',
  examples: ['svc daemon', 'svc daemon start --port 5000', 'svc daemon logs -f'],
  options: listenOptions,
  commands: [start, stop, restart, status, logs, install, uninstall],
  run: async ({ options }) => (await import('./daemon/serve.ts')).serve(options),
});
