import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SearchResult } from '../../src/contract/memory.ts';
import { startDaemon, type TestDaemon } from './daemon.ts';
import { send } from './http.ts';
import { addUser, type TestUser } from './users.ts';

/** A daemon with a folder of three files, which nobody has synced yet. */
export class MemoryWorld implements AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly user: TestUser;
  folder = '';
  private constructor(daemon: TestDaemon, user: TestUser) {
    this.daemon = daemon;
    this.user = user;
  }

  static async start(): Promise<MemoryWorld> {
    const daemon = await startDaemon();
    return new MemoryWorld(daemon, await addUser(daemon, 'ann'));
  }

  /** Another folder in place of the one before. */
  async startAnew(): Promise<void> {
    if (this.folder) {
      await this.daemon.client.config.set({ params: { key: 'memory.roots' }, body: { value: null } });
      rmSync(this.folder, { recursive: true, force: true });
    }
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-memory-')));
    this.write(
      'docs/backup.md',
      '# Backups\n\nA backup runs each night.\n\n## Restoring\n\nStop the daemon, then copy the file back.\n',
    );
    this.write('src/queue.ts', 'export function enqueueTask(id: string) {\n  return pending.push(id);\n}\n');
    this.write('notes.txt', 'The printer on the second floor is broken.\n');
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  ask(method: string, path: string, body?: object, who: { cookie: string } = this.daemon.headers) {
    return send(this.daemon, method, `/api/memory/${path}`, body, who);
  }

  sync() {
    return this.daemon.client.memory.sync({ body: { basePath: this.folder } });
  }

  search(query: string, more: object = {}): Promise<SearchResult> {
    return this.daemon.client.memory.search({ body: { query, ...more } });
  }

  /** Below the folder, in their order. */
  pathsOf({ chunks }: SearchResult): string[] {
    return chunks.map(({ path }) => path.slice(this.folder.length + 1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
