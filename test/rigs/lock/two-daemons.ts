import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../../helpers/compile-cache.ts';

const script = fileURLToPath(new URL('daemon.ts', import.meta.url));

interface Started {
  child: ChildProcess;
  output: () => string;
  /** Where it answers, once it says so; undefined when it ended instead. */
  url: Promise<string | undefined>;
  exitCode: Promise<number | null>;
}

function startDaemon(home: string): Started {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      SVC_HOME: home,
      SVC_PORT: '0',
      ...compileCache,
    },
  });
  let output = '';
  const url = new Promise<string | undefined>((resolve) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const found = /listens on (http:\/\/[\d.]+:\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => resolve(undefined));
  });
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  return { child, output: () => output, url, exitCode };
}

/** Starts two whole daemons at the same moment; answers undefined when all went as it should, else what did not. */
export async function startTwo(home: string): Promise<string | undefined> {
  const daemons = [startDaemon(home), startDaemon(home)];
  try {
    const urls = await Promise.all(daemons.map(({ url }) => url));
    const [url, ...others] = urls.filter((found) => found !== undefined);
    const winners = url === undefined ? 0 : 1 + others.length;
    const said = daemons.map(({ output }) => output()).join('\n');
    if (url === undefined || winners > 1) return `${winners} daemons run: ${said}`;
    const loser = daemons[urls.indexOf(undefined)];
    const code = await loser?.exitCode;
    if (code === 0 || code === null) return `the second daemon ended with ${code}: ${said}`;
    if (!loser?.output().includes('Another daemon uses this data folder'))
      return `it did not say why: ${said}`;
    const { status } = await fetch(`${url}/api/health/ready`);
    return status === 200 ? undefined : `the first daemon answers ${status}`;
  } finally {
    for (const { child } of daemons) child.kill('SIGKILL');
    await Promise.all(daemons.map(({ exitCode }) => exitCode));
  }
}
