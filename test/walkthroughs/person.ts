import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { patienceMs } from '../helpers/long.ts';
import { type ModelServer, type Script, startModelServer } from '../helpers/model-server.ts';
import { root, SvcHome } from '../cli/svc-binary.ts';
import { type Size, Terminal } from '../cli/tui/terminal.ts';

export interface Ran {
  code: number;
  /** What the command left on the screen, with the line that was typed. */
  screen: string;
}

/** A person at a terminal with a home, a project `~/shop`, the real program and a scripted model. */
export class Person implements AsyncDisposable {
  readonly terminal: Terminal;
  readonly model: ModelServer;
  readonly svc: SvcHome;
  readonly home: string;
  readonly project: string;
  readonly #endings: string;
  readonly environment: Record<string, string>;
  readonly #size: Size;
  readonly #others: Terminal[] = [];
  #ran = 0;

  private constructor(svc: SvcHome, model: ModelServer, size: Size) {
    this.svc = svc;
    this.model = model;
    // Shared memory is a folder of the system, in which nothing is indexed.
    this.home = mkdtempSync(join(tmpdir(), 'ada-'));
    this.project = join(this.home, 'shop');
    this.#endings = join(svc.folder, 'endings');
    const programs = join(svc.folder, 'programs');
    for (const folder of [this.project, programs, this.dataFolder]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(programs, 'svc'), `#!/bin/sh\nexec '${root}/bin/svc.js' "$@"\n`);
    chmodSync(join(programs, 'svc'), 0o755);
    writeFileSync(this.#endings, '');
    const shell = [
      "PS1='\\w $ '",
      `PROMPT_COMMAND='echo $? >> "${this.#endings}"'`,
      'HISTFILE=',
      'exec bash --norc --noprofile -i',
    ].join(' ');
    this.#size = size;
    this.environment = {
      ...svc.env,
      PATH: [programs, dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: this.home,
      SVC_HOME: this.dataFolder,
      LANG: 'C.UTF-8',
    };
    this.terminal = new Terminal(this.environment, `cd '${this.project}'; ${shell}`, size);
  }

  static async sitsDown({
    script,
    size = { columns: 100, rows: 30 },
  }: { script?: Script; size?: Size } = {}): Promise<Person> {
    const person = new Person(await SvcHome.create(), await startModelServer(script), size);
    await person.#promptAfter(0);
    return person;
  }

  /** Where the program keeps all that is its own. */
  get dataFolder(): string {
    return join(this.svc.folder, 'svc');
  }

  /** Makes the scripted model the only provider, as a person would. */
  async connectsModel(): Promise<void> {
    const { code, screen } = await this.runs(
      `svc providers configure ollama --base-url ${this.model.url} --default-model test-model`,
    );
    if (code !== 0) throw new Error(screen);
  }

  /** Types a line, waits until the prompt is back, and answers what the screen shows of it. */
  async runs(line: string): Promise<Ran> {
    this.types(line);
    return this.getsPromptBack();
  }

  /** Types a line and presses Enter. */
  types(line: string): void {
    this.terminal.write(line);
    this.terminal.type('Enter');
  }

  /** Waits until the command on the screen has ended. */
  async getsPromptBack(): Promise<Ran> {
    const codes = await this.#promptAfter(this.#ran + 1);
    this.#ran = codes.length - 1;
    const { history } = this.terminal;
    const lines = history.trimEnd().split('\n');
    const from = lines.findLastIndex((line, at) => at < lines.length - 1 && /^~[^ ]* \$ ./.test(line));
    return { code: codes.at(-1) ?? -1, screen: lines.slice(Math.max(from, 0), -1).join('\n') };
  }

  /** Opens a second terminal in the project, in which a line runs. */
  opensTerminal(line: string): Terminal {
    const terminal = new Terminal(this.environment, `cd '${this.project}'; ${line}; exec cat`, this.#size);
    this.#others.push(terminal);
    return terminal;
  }

  /** The process of the daemon that runs now. */
  get daemonPid(): number {
    return (JSON.parse(readFileSync(join(this.dataFolder, 'daemon.json'), 'utf8')) as { pid: number }).pid;
  }

  /** Clears the screen and what the terminal remembers. */
  clears(): void {
    this.terminal.type('C-l');
  }

  writesFile(name: string, text: string): void {
    mkdirSync(dirname(join(this.project, name)), { recursive: true });
    writeFileSync(join(this.project, name), text);
  }

  readsFile(name: string): string {
    return readFileSync(join(this.project, name), 'utf8');
  }

  hasFile(name: string): boolean {
    return existsSync(join(this.project, name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { svc, terminal, model, dataFolder } = this;
    for (const each of [terminal, ...this.#others]) each[Symbol.dispose]();
    await svc.svc(['daemon', 'stop'], { env: { SVC_HOME: dataFolder, HOME: this.home } });
    await svc[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    rmSync(this.home, { recursive: true, force: true });
  }

  async #promptAfter(commands: number): Promise<number[]> {
    const end = performance.now() + patienceMs;
    for await (const _ of setInterval(20)) {
      const codes = readFileSync(this.#endings, 'utf8').trim().split('\n').filter(Boolean).map(Number);
      if (codes.length > commands && /\$ *$/.test(this.terminal.screen.trimEnd())) return codes;
      if (performance.now() > end) throw new Error(`The prompt did not come back:\n${this.terminal.screen}`);
    }
    throw new Error('unreachable');
  }
}
