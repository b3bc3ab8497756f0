import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './daemon.ts';

/** A repository on this disk for one test. */
export class GitRepository {
  readonly root: string;
  constructor(files: Record<string, string> = { 'a.txt': 'one\ntwo\nthree\n' }) {
    this.root = realpathSync(temporaryFolder());
    this.git('init', '-q', '-b', 'main');
    this.git('config', 'user.name', 'Ann');
    this.git('config', 'user.email', 'ann@example.org');
    this.commit(files);
  }

  /** Runs git as a person would, without the settings of the person who runs the tests. */
  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.root,
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  }

  write(files: Record<string, string>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, name)), { recursive: true });
      writeFileSync(join(this.root, name), content);
    }
  }

  commit(files: Record<string, string>): string {
    this.write(files);
    this.git('add', '-A', '-f', '--', ...Object.keys(files));
    this.git('commit', '-q', '-m', 'Change');
    return this.git('rev-parse', 'HEAD');
  }

  read(name: string): string {
    return readFileSync(join(this.root, name), 'utf8');
  }

  /**
   * The content, the mode and the time of every file, also of those of Git, but for what belongs to worktrees and to the
   * commits on their branches.
   */
  fingerprint(): Map<string, string> {
    const found = new Map<string, string>();
    const added = /^\.git\/(objects|worktrees|refs\/heads\/svc|refs\/svc|logs\/refs\/heads\/svc)(\/|$)/;
    for (const name of readdirSync(this.root, { recursive: true, encoding: 'utf8' })) {
      if (added.test(name)) continue;
      const path = join(this.root, name);
      const stat = lstatSync(path);
      const content = stat.isSymbolicLink()
        ? readlinkSync(path)
        : stat.isFile()
          ? createHash('sha256').update(readFileSync(path)).digest('hex')
          : '';
      found.set(name, `${stat.mode} ${stat.isDirectory() ? '' : stat.mtimeMs} ${content}`);
    }
    return found;
  }
}
