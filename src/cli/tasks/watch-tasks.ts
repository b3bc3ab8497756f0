import type { livePath as contractPath, LiveMessage } from '../../contract/live.ts';
import { CliError } from '../cli-error.ts';
import type { Cli } from '../cli.ts';
import { Unreachable } from '../connection.ts';
import { describeEvent } from '../describe-event.ts';
import { escapeLine } from '../escape-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { fitText } from '../text-width.ts';

/** Where the live feed is; the contract's own file would load the schemas. */
const livePath = '/api/live' satisfies typeof contractPath;

/** `svc tasks watch`: what happens to all tasks, until Ctrl-C. */
export async function watchTasks(cli: Cli, { json = false }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  // This also starts the daemon, which a WebSocket would not.
  await connection.client.queue.status();
  const { target } = connection;
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(target.url.replace(/^http/, 'ws') + livePath, {
    headers: connection.credentials(),
  });
  const ended = Promise.withResolvers<void>();
  socket.on('open', () => {
    if (!json) output.note(output.paintError('dim', 'Watching; Ctrl-C ends it.'));
  });
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString('utf8')) as LiveMessage;
    if (json) output.jsonLine(message);
    else printMessage(cli, message);
  });
  socket.on('close', (code, reason) =>
    ended.reject(
      new CliError(
        exitCodes.unreachable,
        `The daemon ended the feed (${code}${reason.length > 0 ? ` ${reason.toString('utf8')}` : ''}).`,
        {
          next: 'Again: svc tasks watch',
        },
      ),
    ),
  );
  socket.on('error', (error) => ended.reject(new Unreachable(target, error)));
  output.closed.addEventListener('abort', () => ended.resolve());
  try {
    await ended.promise;
  } finally {
    socket.terminate();
  }
}

function printMessage({ output }: Cli, message: LiveMessage): void {
  const text = describe(message);
  if (text === undefined) return;
  const time = new Date(message.at).toLocaleTimeString('sv');
  output.write(
    `${output.paint('dim', time)}  ${fitText(escapeLine(text), output.width - time.length - 2)}\n`,
  );
}

function describe(message: LiveMessage): string | undefined {
  if (message.type === 'notification') {
    const { title, message: text } = message.notification;
    return `${title}: ${text}`;
  }
  if (message.type !== 'task' || message.event.type === 'output') return undefined;
  const { task, event } = message;
  const what = event.type === 'created' ? `created: ${task.title ?? ''}` : describeEvent(event);
  return `${task.id}  ${what ?? event.message.toLowerCase()}`;
}
