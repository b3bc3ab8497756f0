import type { LiveMessage } from '../../../contract/live.ts';
import { summariseCall } from '../approvals/format-call.ts';
import { canAsk } from '../../input/ask.ts';
import type { Cli } from '../../program/cli.ts';
import { describeEvent } from '../../output/describe-event.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { fitText } from '../../output/text-width.ts';
import { followLiveFeed } from './live-feed.ts';
import { showTaskLogs } from './task-logs.ts';

/** `svc tasks watch`: follows all tasks until Ctrl-C; on a terminal it opens the full-screen view. */
export async function watchTasks(
  cli: Cli,
  text: string | undefined,
  { json = false }: { json?: boolean },
): Promise<void> {
  const { output } = cli;
  if (!json && output.isTerminal && canAsk(cli) && output.isLively) {
    const { watchOnTerminal } = await import('../../tui/watch/watch-on-terminal.tsx');
    return watchOnTerminal(cli, text);
  }
  if (text !== undefined) return showTaskLogs(cli, text, { follow: true, json });
  const connection = cli.connect();
  // This also starts the daemon, which a WebSocket would not.
  await connection.client.queue.getStatus();
  await followLiveFeed(connection, {
    onOpen() {
      if (!json) output.note(output.paintError('dim', 'Watching; press Ctrl-C to stop.'));
    },
    onMessage(message) {
      if (!json) return printMessage(cli, message);
      output.noteOrigin(message, 'live');
      output.jsonLine(message);
    },
    signal: output.closed,
  });
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
  if (message.type === 'approval') {
    const { status, id } = message.approval;
    return status === 'pending' ? `${summariseCall(message.approval)}: svc approvals show ${id}` : undefined;
  }
  if (message.type !== 'task' || message.event.type === 'output') return undefined;
  const { task, event } = message;
  const what = event.type === 'created' ? `created: ${task.title ?? ''}` : describeEvent(event);
  return `${task.id}  ${what ?? event.message.toLowerCase()}`;
}
