import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../../helpers/compile-cache.ts';

const script = fileURLToPath(new URL('contender.ts', import.meta.url));

export interface RaceResult {
  winners: number;
  /** What those said who did not get the folder. */
  refusals: string[];
}
type Said = { won: true; installed: number } | { won: false; message: string };

/** Lets processes start on one data folder at the same moment, and ends them the hard way. */
export async function race(home: string, contenders = 2): Promise<RaceResult> {
  const children = Array.from({ length: contenders }, () =>
    fork(script, [home], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { PATH: process.env['PATH'], ...compileCache },
    }),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const answers = children.map(answerOf);
    for (const child of children) child.send('go');
    const said = await Promise.all(answers);
    return {
      winners: said.filter(({ won }) => won).length,
      refusals: said.flatMap((answer) => (answer.won ? [] : [answer.message])),
    };
  } finally {
    await Promise.all(children.map(kill));
  }
}

const answerOf = (child: ChildProcess): Promise<Said> =>
  new Promise((resolve) => {
    child.once('message', (said: Said) => resolve(said));
    child.once('exit', () => resolve({ won: false, message: 'it ended without a word' }));
  });

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

export const isRefusal = (message: string): boolean =>
  message.startsWith('Another daemon uses this data folder');

/** One winner, and everybody else told why. */
export const isFair = ({ winners, refusals }: RaceResult): boolean =>
  winners === 1 && refusals.every(isRefusal);
