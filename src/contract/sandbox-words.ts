import type { SandboxReport } from './sandbox.ts';

/** What a sandbox lets a program do with a path, as a heading. */
export const sandboxAccessWords: Record<SandboxReport['paths'][number]['access'], string> = {
  write: 'Can write',
  read: 'Can read',
  memory: 'Temporary, in memory',
  none: 'Cannot see',
};

/** What follows where there is no sandbox. */
export const withoutSandbox = ({ agent, modes }: Pick<SandboxReport, 'agent' | 'modes'>): string =>
  agent === undefined
    ? 'Each command that does more than read needs an approval.'
    : `It runs with all your rights, in the modes ${modes.join(' and ')} only.`;

/** What of the network a sandbox lets a program reach. */
export const sandboxNetwork = ({ network }: Pick<SandboxReport, 'network'>): string =>
  network ? 'that of this machine, for the model; the API of the daemon still asks for credentials' : 'none';
