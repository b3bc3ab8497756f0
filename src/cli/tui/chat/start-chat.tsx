import { setFlagsFromString } from 'node:v8';
import { render } from 'ink';
import type { ChatSettings } from '../../commands/chat/chat-settings.ts';
import type { Cli } from '../../program/cli.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { formatError } from '../../errors/report-error.ts';
import { colouredTheme, plainTheme, ThemeContext } from '../parts/theme.tsx';
import { ChatApp } from './chat-app.tsx';
import { ChatAttention } from './chat-attention.ts';
import type { ChatSession } from './chat-session.ts';
import { beginChat, type ChatState, reduceChat } from './chat-state.ts';
import { findAndLoad, loadDefaults, openedEvent } from './load-chat.ts';
import { MessageHistory } from './message-history.ts';
import { tailOf } from './transcript-tail.ts';

interface Options {
  settings: ChatSettings;
  /** Of the agent that the settings name. */
  agentVersion: string | undefined;
  conversation: string | undefined;
  message: string;
}

/** Runs the full-screen chat until the user exits. */
export async function startChat(
  cli: Cli,
  { settings, agentVersion, conversation, message }: Options,
): Promise<ExitCode> {
  // A screen that is drawn 20 times a second makes garbage that V8 would rather keep than collect.
  setFlagsFromString('--optimize-for-size');
  const connection = cli.connect();
  // Errors are reported before the screen is taken over.
  const defaults = await loadDefaults(connection.client);
  const opened = conversation === undefined ? undefined : await findAndLoad(connection.client, conversation);
  const events = opened === undefined ? [defaults] : [defaults, openedEvent(opened)];
  const initial = reduceChat({ ...beginChat(settings), agentVersion }, events);
  let session: ChatSession | undefined;
  let state: ChatState = initial;
  const attention = new ChatAttention(cli, () => performance.now());
  const { env, home } = cli.platform;
  const theme = env['NO_COLOR'] ? plainTheme : colouredTheme;
  const screen = render(
    <ThemeContext value={theme}>
      <ChatApp
        connection={connection}
        opened={opened}
        folder={process.cwd()}
        formatError={(error) => formatError(error, cli)}
        now={() => Date.now()}
        history={new MessageHistory(`${cli.locations.state}/chat-history.jsonl`)}
        env={env}
        home={home}
        initial={initial}
        message={message}
        onSession={(given) => (session = given)}
        onState={(present) => {
          attention.update(state.run, present.run);
          state = present;
        }}
      />
    </ThemeContext>,
    { alternateScreen: true, incrementalRendering: true, exitOnCtrlC: false, interactive: true },
  );
  await screen.waitUntilExit();
  const { columns, rows } = process.stdout;
  cli.output.write(await tailOf(state, { width: columns || 80, height: (rows || 24) * 2, theme }));
  sayWhatNext(cli, session);
  return exitCodes.done;
}

function sayWhatNext({ output }: Cli, session: ChatSession | undefined): void {
  if (session?.taskLeftBehind !== undefined)
    output.note(`The task continues in the background: svc tasks show ${session.taskLeftBehind}`);
  if (session?.conversationId !== undefined)
    output.note(output.paintError('dim', `Continue: svc chat -c ${session.conversationId}`));
}
