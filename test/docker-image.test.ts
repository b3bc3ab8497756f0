import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startDaemon, temporaryFolder } from './helpers/daemon.ts';
import { isLong } from './helpers/long.ts';

const root = new URL('..', import.meta.url).pathname;
const directory = join(root, 'docs/docker');
const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Step {
  name: string;
  text: string;
}

/** The instructions of each stage, with continued lines joined. */
function readStages(): Step[][] {
  const lines = readFileSync(join(directory, 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean);
  const stages: Step[][] = [];
  for (const line of lines) {
    const [name = ''] = line.split(' ');
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, text: line.slice(name.length + 1) });
  }
  return stages;
}
const [build = [], image = []] = readStages();
const textOf = (name: string) => image.find((step) => step.name === name)?.text ?? '';

/** What a COPY takes from the repository: its sources and its destination. */
function copied({ name, text }: Step): { sources: string[]; destination: string } | undefined {
  if (name !== 'COPY' || text.startsWith('--from')) return undefined;
  const words = text.split(' ');
  return { sources: words.slice(0, -1), destination: words.at(-1) ?? '' };
}

describe('the Dockerfile', () => {
  it('copies what is there, and what the build may see', () => {
    const seen = readFileSync(join(directory, 'Dockerfile.dockerignore'), 'utf8').match(/(?<=^!).*/gm) ?? [];
    const sources = [...build, ...image].flatMap((step) => copied(step)?.sources ?? []);
    expect(sources.length).toBeGreaterThan(8);
    for (const source of sources) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(
        seen.some((path) => source === path || source.startsWith(`${path}/`)),
        source,
      ).toBe(true);
    }
  });

  it('has every local package that the lock file names', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string }>;
    };
    const local = Object.values(packages).flatMap(({ resolved }) => resolved?.match(/^file:(.*)/)?.[1] ?? []);
    const sources = build.flatMap((step) => copied(step)?.sources ?? []);
    expect(sources).toEqual(expect.arrayContaining(local));
  });

  it('runs as another user than root, with its data in a volume, and stops on the signal to its first process', () => {
    expect(textOf('USER')).toBe('node');
    expect(textOf('ENV')).toContain(`SVC_HOME=${textOf('VOLUME')} `);
    expect(JSON.parse(textOf('ENTRYPOINT'))).toEqual(['tini', '--', 'svc']);
    expect(JSON.parse(textOf('CMD'))).toEqual(['daemon']);
    const compose = readFileSync(join(directory, 'compose.yaml'), 'utf8');
    expect(compose).toContain(`- svc-data:${textOf('VOLUME')}\n`);
    expect(compose).toContain(`- '127.0.0.1:${textOf('EXPOSE')}:${textOf('EXPOSE')}'\n`);
    expect(compose).toContain('dockerfile: docs/docker/Dockerfile\n');
  });

  it('checks the health of the daemon', async () => {
    const [program = '', ...args] = JSON.parse(
      /CMD (\[.*\])$/.exec(textOf('HEALTHCHECK'))?.[1] ?? '[]',
    ) as string[];
    expect(program).toBe('node');
    await using daemon = await startDaemon();
    const check = async (port: string) => {
      const { execa } = await import('execa');
      return (await execa(process.execPath, args, { env: { SVC_PORT: port }, reject: false })).exitCode;
    };
    expect(await check(new URL(daemon.url).port)).toBe(0);
    expect(await check('1')).toBe(1);
  });

  it.runIf(isLong)(
    'builds a program that starts, by its steps in a clean directory',
    { timeout: 600_000 },
    () => {
      for (const step of build) {
        const copy = copied(step);
        for (const source of copy?.sources ?? []) {
          const target = copy?.destination === './' ? source : (copy?.destination ?? '');
          mkdirSync(dirname(join(folder, target)), { recursive: true });
          cpSync(join(root, source), join(folder, target), { recursive: true });
        }
        if (step.name !== 'RUN') continue;
        const { status, stderr } = spawnSync('sh', ['-c', step.text], { cwd: folder, encoding: 'utf8' });
        expect(status, `${step.text}\n${stderr}`).toBe(0);
      }
      for (const source of ['bin/svc.js', 'bin/runtime.js']) cpSync(join(root, source), join(folder, source));
      expect(globSync('node_modules/node-linux-*', { cwd: folder })).toEqual([]);
      // Only what the image has: no sources, no development packages.
      rmSync(join(folder, 'src'), { recursive: true });
      const svc = spawnSync(process.execPath, [join(folder, 'bin/svc.js'), 'config', 'ls'], {
        encoding: 'utf8',
        env: { SVC_HOME: join(folder, 'data'), SVC_PORT: '0', PATH: process.env['PATH'] },
      });
      spawnSync(process.execPath, [join(folder, 'bin/svc.js'), 'daemon', 'stop'], {
        env: { SVC_HOME: join(folder, 'data'), PATH: process.env['PATH'] },
      });
      expect(svc.status, svc.stderr).toBe(0);
      expect(svc.stdout).toContain('backup.every');
    },
  );
});
