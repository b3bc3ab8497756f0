import type { LiveMessage } from '../../contract/live.ts';
import { livePath } from '../../contract/live-path.ts';

export type LiveState = 'connecting' | 'connected' | 'away' | 'signed-out';

const RETRY_MS = [250, 500, 1000, 2000];
/** The daemon sends a sign of life every 15 s. */
const SILENCE_MS = 40_000;
/** The close code for a session that is over (RFC 6455, section 7.4.1: policy violation). */
const POLICY_VIOLATION = 1008;
/** What every page shows. */
const ALWAYS = ['tasks', 'approvals', 'notifications', 'queue', 'memory', 'devices', 'agents'];

/**
 * The one WebSocket of this tab. What was missed is not repeated, so whoever listens reads again at every `hello`: queries
 * are invalidated, logs continue after their last `seq`.
 */
class LiveFeed {
  #socket: WebSocket | undefined;
  #retry: number | undefined;
  #silence: number | undefined;
  #attempt = 0;
  #state: LiveState = 'connecting';
  readonly #watched = new Map<string, number>();
  readonly #listeners = new Set<(message: LiveMessage) => void>();
  readonly #stateListeners = new Set<() => void>();

  readonly state = (): LiveState => this.#state;

  readonly onState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener);
    return () => void this.#stateListeners.delete(listener);
  };

  readonly onMessage = (listener: (message: LiveMessage) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Also receives everything that happens to one task, until the function that it returns is called. */
  watchTask(id: string): () => void {
    this.#watched.set(id, (this.#watched.get(id) ?? 0) + 1);
    this.#sendWatch();
    return () => {
      const left = (this.#watched.get(id) ?? 1) - 1;
      if (left > 0) this.#watched.set(id, left);
      else this.#watched.delete(id);
      this.#sendWatch();
    };
  }

  readonly connect = (): void => {
    clearTimeout(this.#retry);
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return;
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${livePath}`);
    this.#socket = socket;
    socket.onopen = () => this.#sendWatch();
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      this.#expectLife(socket);
      const message = JSON.parse(data) as LiveMessage;
      if (message.type === 'hello') {
        this.#attempt = 0;
        this.#setState('connected');
      }
      for (const listener of this.#listeners) listener(message);
    };
    socket.onclose = ({ code }) => {
      clearTimeout(this.#silence);
      if (code === POLICY_VIOLATION) return this.#setState('signed-out');
      this.#setState('away');
      const delay = RETRY_MS[Math.min(this.#attempt++, RETRY_MS.length - 1)] ?? 2000;
      this.#retry = setTimeout(this.connect, delay * (0.75 + Math.random() / 2));
    };
  };

  /** A connection that broke without a word is closed, so that another one is opened. */
  #expectLife(socket: WebSocket): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => socket.close(), SILENCE_MS);
  }

  #sendWatch(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const tasks = [...this.#watched.keys()].map((id) => `task:${id}`);
    this.#socket.send(JSON.stringify({ watch: [...ALWAYS, ...tasks] }));
  }

  #setState(state: LiveState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#stateListeners) listener();
  }
}

export const live = new LiveFeed();

// The network is back, or somebody looks again: no moment to wait for the timer.
addEventListener('online', live.connect);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && live.state() === 'away') live.connect();
});
