import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SearchResult } from '../../../src/contract/memory.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';

/** A daemon with a second user, and a folder for it to index. */
export class MemoryWorld implements AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly user: TestUser;
  folder = '';
  constructor(daemon: TestDaemon, user: TestUser) {
    this.daemon = daemon;
    this.user = user;
  }

  static async open(): Promise<MemoryWorld> {
    const daemon = await startDaemon();
    return new MemoryWorld(daemon, await addUser(daemon, 'ann'));
  }

  /** Another folder with the same three files, which is not allowed yet. */
  async plant(): Promise<void> {
    if (this.folder !== '') {
      await this.daemon.client.config.update({ params: { key: 'memory.roots' }, body: { value: null } });
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

  pathsOf({ chunks }: SearchResult): string[] {
    return chunks.map(({ path }) => path.slice(this.folder.length + 1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
