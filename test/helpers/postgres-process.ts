import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';

/** Where a server has its files, and as whom it runs. */
export interface PostgresPlace {
  /** The folder of the programs of PostgreSQL. */
  programs: string;
  /** Holds `data` and the socket; removed with the server. */
  folder: string;
  port: number;
  user: { uid: number; gid: number } | undefined;
}

/** Obeys this process; when its pipe closes, whatever the reason, the server ends and its folder goes. */
const WATCH = `
while read -r order; do
  case $order in
    start) "$@" </dev/null & server=$! ;;
    crash) kill -QUIT "$server"; wait "$server"; echo crashed >&2 ;;
  esac
done
kill -QUIT "$server" && wait "$server"
cd / && rm -rf "$0"
`;

/** A server of PostgreSQL on files that are there already. */
export class PostgresProcess {
  readonly #wrapper;
  readonly #gone: Promise<unknown>;

  constructor({ programs, folder, port, user }: PostgresPlace, settings: readonly string[]) {
    const flags = settings.flatMap((setting) => ['-c', setting]);
    const server = [join(programs, 'postgres'), '-D', join(folder, 'data'), '-p', String(port), '-k', folder];
    // A session of its own: a Ctrl+C is not for the wrapper, which has to clean up after it.
    this.#wrapper = spawn('/bin/sh', ['-c', WATCH, folder, ...server, ...flags], {
      cwd: folder,
      detached: true,
      ...user,
    });
    this.#gone = once(this.#wrapper, 'exit');
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    this.#wrapper.stdin.write('start\n');
    await this.#says('ready to accept');
  }

  /** Ends it without a checkpoint and with no word to its clients. */
  async crash(): Promise<void> {
    this.#wrapper.stdin.write('crash\n');
    await this.#says('crashed');
  }

  /** Ends it and removes its files. */
  async stop(): Promise<void> {
    this.#wrapper.ref();
    this.#wrapper.stdin.end();
    await this.#gone;
  }

  /** Waits for a word of the server or the wrapper, and keeps this process alive only as long. */
  async #says(word: string): Promise<void> {
    const wrapper = this.#wrapper;
    const pipes = [wrapper, wrapper.stdin, wrapper.stdout, wrapper.stderr] as unknown as Socket[];
    for (const pipe of pipes) pipe.ref();
    let said = '';
    await new Promise<void>((resolve, reject) => {
      const listen = (chunk: Buffer) => {
        said += chunk.toString();
        if (!said.includes(word)) return;
        wrapper.stderr.off('data', listen);
        resolve();
      };
      // What is not read would fill the pipe and stop the server: it flows on without a listener.
      wrapper.stderr.on('data', listen).resume();
      wrapper.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)));
    });
    for (const pipe of pipes) pipe.unref();
  }
}
