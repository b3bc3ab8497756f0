import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards connections to a port of this machine, until the way there is cut. */
export class TcpProxy implements AsyncDisposable {
  /** Where new connections go. */
  target: number;
  readonly #server = createServer((socket) => this.#forward(socket));
  readonly #sockets = new Set<Socket>();
  /** Those to the target. */
  readonly #onward = new Set<Socket>();
  readonly #abandoned = new WeakSet<Socket>();
  #isCut = false;
  #losesAnswers = false;

  private constructor(target: number) {
    this.target = target;
  }

  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Nothing comes through in either direction any more, and no side gets an error: packets are lost, as by a firewall. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What the other side sends is lost, and what is sent to it arrives. */
  loseAnswers(): void {
    this.#losesAnswers = true;
  }

  /** What was open is broken off, as the other side would do by then; new connections come through. */
  restore(): void {
    this.#isCut = false;
    this.#losesAnswers = false;
    this.breakOff();
  }

  /** After a cut: who has connected learns that the connection is gone, the other side does not; new connections come through. */
  abandon(): void {
    this.#isCut = false;
    for (const socket of this.#onward) this.#abandoned.add(socket);
    for (const socket of this.#sockets) if (!this.#abandoned.has(socket)) socket.resetAndDestroy();
  }

  /** Ends all connections; new ones come through. */
  breakOff(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#sockets.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.breakOff();
    await closed;
  }

  #forward(socket: Socket): void {
    this.#keep(socket);
    if (this.#isCut) return void socket.pause();
    const onward = connect(this.target, '127.0.0.1');
    this.#keep(onward);
    this.#onward.add(onward);
    onward.once('close', () => this.#onward.delete(onward));
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.setNoDelay(true).on('data', (chunk) => {
        // What arrives while the way is cut is lost.
        const isLost = this.#isCut || (this.#losesAnswers && from === onward);
        if (!isLost && !to.write(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (!this.#isCut) from.resume();
      });
      from.once('close', () => {
        if (!this.#abandoned.has(to)) to.destroy();
      });
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    // A broken connection is what a proxy is about; both sides see it by its end.
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }
}
