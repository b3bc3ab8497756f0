import { createElement } from 'react';
import type { ChatSettings } from '../../../../src/cli/commands/chat/chat-settings.ts';
import type { Connection } from '../../../../src/cli/connection/connection.ts';
import { httpFetch } from '../../../../src/cli/connection/http-fetch.ts';
import { ChatApp } from '../../../../src/cli/tui/chat/chat-app.tsx';
import { beginChat, reduceChat } from '../../../../src/cli/tui/chat/chat-state.ts';
import { findAndLoad, loadDefaults, openedEvent } from '../../../../src/cli/tui/chat/load-chat.ts';
import { createClient } from '../../../../src/contract/client.ts';
import { contract } from '../../../../src/contract/index.ts';
import { Rendered } from '../rendered.ts';
import { ScriptedDaemon } from '../scripted-daemon.ts';

/** A connection to a daemon that asks nobody who they are. */
export function connectionTo(url: string, isLocal = true): Connection {
  const client = createClient(contract, { baseUrl: url, fetch: httpFetch });
  return {
    client,
    decide: (id, body) => client.approvals.decide({ params: { id }, body }),
    target: { url, isLocal, isNamed: true },
    daemonVersion: undefined,
    credential: undefined,
    credentials: () => ({}),
    fetch: httpFetch,
  };
}

/** A chat on a terminal that is not there, with a daemon that plays what a test tells it to. */
export class ChatScreen implements AsyncDisposable {
  readonly daemon: ScriptedDaemon;
  readonly screen: Rendered;
  /** What the clock of the chat says. */
  time = 1_000_000;
  /** The messages that are kept between chats. */
  readonly history = {
    messages: [] as string[],
    add(message: string) {
      this.messages.push(message);
    },
  };

  private constructor(daemon: ScriptedDaemon, make: (chat: ChatScreen) => Rendered) {
    this.daemon = daemon;
    this.screen = make(this);
  }

  static async open(
    options: {
      prepare?: (daemon: ScriptedDaemon) => void;
      settings?: ChatSettings;
      conversation?: string;
      message?: string;
      size?: { columns: number; rows: number };
      folder?: string;
    } = {},
  ): Promise<ChatScreen> {
    const daemon = await ScriptedDaemon.start();
    options.prepare?.(daemon);
    const connection = connectionTo(daemon.url);
    const { client } = connection;
    const opened =
      options.conversation === undefined ? undefined : await findAndLoad(client, options.conversation);
    const initial = reduceChat(beginChat(options.settings ?? { isAgentic: false }), [
      await loadDefaults(client),
      ...(opened ? [openedEvent(opened)] : []),
    ]);
    return new ChatScreen(
      daemon,
      (chat) =>
        new Rendered(
          createElement(ChatApp, {
            connection,
            opened,
            folder: options.folder ?? '/home/ada/project',
            home: '/home/ada',
            env: { SHELL: '/bin/sh' },
            history: chat.history,
            formatError: String,
            now: () => chat.time,
            initial,
            message: options.message,
          }),
          options.size ?? { columns: 80, rows: 24 },
        ),
    );
  }

  /** The bodies of the requests to a route. */
  bodies(route: RegExp): Record<string, unknown>[] {
    return this.daemon.asked.flatMap((asked) => (route.test(asked.route) ? [asked.body] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.screen[Symbol.dispose]();
    await this.daemon[Symbol.asyncDispose]();
  }
}
