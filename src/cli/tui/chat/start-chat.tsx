import { render } from 'ink';
import type { ChatSettings } from '../../commands/chat/chat-settings.ts';
import type { Cli } from '../../program/cli.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { toReport } from '../../errors/report-error.ts';
import { colouredTheme, plainTheme, ThemeContext } from '../parts/theme.tsx';
import { ChatApp } from './chat-app.tsx';
import type { ChatSession } from './chat-session.ts';
import { beginChat, reduceChat } from './chat-state.ts';
import { loadConversation, loadDefaults } from './load-chat.ts';

interface Options {
  settings: ChatSettings;
  conversation: string | undefined;
  message: string;
}

/** Runs the full-screen chat until the user exits. */
export async function startChat(cli: Cli, { settings, conversation, message }: Options): Promise<ExitCode> {
  const connection = cli.connect();
  // Errors are reported before the screen is taken over.
  const defaults = await loadDefaults(connection.client);
  const opened = conversation === undefined ? [] : [await loadConversation(connection.client, conversation)];
  const initial = reduceChat(beginChat(settings), [defaults, ...opened]);
  let session: ChatSession | undefined;
  const isPlain = Boolean(cli.platform.env['NO_COLOR']);
  const screen = render(
    <ThemeContext value={isPlain ? plainTheme : colouredTheme}>
      <ChatApp
        connection={connection}
        conversationId={initial.conversation?.id}
        folder={process.cwd()}
        formatError={(error) => {
          const { message: what, next } = toReport(error, cli);
          return [what, next].filter(Boolean).join(' ');
        }}
        now={() => Date.now()}
        initial={initial}
        message={message}
        onSession={(given) => (session = given)}
      />
    </ThemeContext>,
    { alternateScreen: true, incrementalRendering: true, exitOnCtrlC: false, interactive: true },
  );
  await screen.waitUntilExit();
  sayWhatNext(cli, session);
  return exitCodes.done;
}

function sayWhatNext({ output }: Cli, session: ChatSession | undefined): void {
  if (session?.taskLeftBehind !== undefined)
    output.note(`The task continues in the background: svc tasks show ${session.taskLeftBehind}`);
  if (session?.conversationId !== undefined)
    output.note(output.paintError('dim', `Continue: svc chat -c ${session.conversationId}`));
}
