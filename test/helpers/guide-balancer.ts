import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from './memory-folder.ts';

const NOBODY = 65534;

/** Whether there is an nginx here; in CI a missing one is a failure. */
export const hasNginx: boolean = spawnSync('nginx', ['-v']).status === 0;
if (!hasNginx && process.env['CI']) throw new Error('These tests need nginx, and CI skips nothing');

/** A block of docs/pro.md, by its language. */
export function blockOfGuide(language: string): string {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/pro.md'), 'utf8');
  const block = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'm').exec(guide)?.[1];
  if (block === undefined) throw new Error(`docs/pro.md has no block in ${language}`);
  return block;
}

/** The block of nginx in the guide, with the addresses of these daemons and without TLS; nothing else of it changes. */
export function nginxOfGuide(port: number, daemons: readonly string[]): string {
  let isFirst = true;
  return blockOfGuide('nginx')
    .split('\n')
    .flatMap((line) => {
      const server = /^\s+server 10\.0\.0\.\d+:4310 (?<options>.*)$/.exec(line);
      if (server) {
        const lines = daemons.map((url) => `  server ${new URL(url).host} ${server.groups?.['options']}`);
        if (!isFirst) return [];
        isFirst = false;
        return lines;
      }
      if (line.includes('listen 443 ssl')) return [`  listen 127.0.0.1:${port};`];
      return line.includes('ssl_certificate') ? [] : [line];
    })
    .join('\n');
}

/** The balancer of the guide in front of these daemons, as a user without rights. */
export async function startGuideBalancer(port: number, daemons: readonly string[]): Promise<AsyncDisposable> {
  const folder = memoryFolder();
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr notice; events {}
    http { access_log off; ${temporary.join(' ')}\n${nginxOfGuide(port, daemons)}\n}`,
  );
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user,
  });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  await listens(child, port);
  return {
    async [Symbol.asyncDispose]() {
      process.off('exit', kill);
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listens(child: ChildProcess, port: number): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx does not start:\n${said}`);
    try {
      await fetch(`http://127.0.0.1:${port}/api/health`);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
