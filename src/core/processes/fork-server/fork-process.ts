import { spawn } from 'node:child_process';
// oxlint-disable-next-line no-restricted-imports -- a socket in a directory of the daemon, no request
import { connect, type Socket } from 'node:net';
import type { ForkReport, ForkRequest } from './fork-messages.ts';

/** The descriptor that closes when the daemon dies; each program gets it for its watcher. */
const LIFELINE = 4;

/** The process that forks: it starts programs for the daemon, and ends with it. */
const [path = ''] = process.argv.slice(2);

/** A daemon that has died does not hear of it. */
const report = (message: ForkReport) => process.send?.(message, () => undefined);

process.on('disconnect', () => process.exit());
process.on('message', (request: ForkRequest) => {
  start(request).catch((error: unknown) => report({ id: request.id, error: described(error) }));
});

async function start({ id, argv, cwd, env, secrets }: ForkRequest): Promise<void> {
  const [stdout, stderr] = await Promise.all([open(secrets.stdout), open(secrets.stderr)]);
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', stdout, stderr, LIFELINE],
    detached: true,
  });
  // The program has its own; with these the streams would not end.
  stdout.destroy();
  stderr.destroy();
  child.on('error', (error) => report({ id, error: described(error) }));
  if (child.pid === undefined) return;
  report({ id, pid: child.pid });
  child.on('exit', (code, signal) => report({ id, exit: { code, signal } }));
}

/** A connection to the daemon that has said whose output it carries. */
function open(secret: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', reject);
    socket.once('connect', () => socket.write(secret, () => resolve(socket)));
  });
}

function described(error: unknown): { code: string | undefined; message: string } {
  const { code, message } = error as NodeJS.ErrnoException;
  return { code, message };
}
