import { z } from 'zod';
import { define } from './define-setting.ts';

const label = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/i, 'Expected letters, digits, dots, hyphens and underscores');

/** What a daemon is in its cluster. */
export const daemonSettings = {
  'daemon.role': define({
    schema: () => z.enum(['all', 'api', 'worker']),
    default: 'all',
    scope: 'daemon',
    needsPro: true,
    description:
      'What this daemon does in mode pro: all, api (runs no agents) or worker (serves health only)',
  }),
  'daemon.name': define({
    schema: () => label.optional(),
    default: undefined,
    scope: 'daemon',
    needsPro: true,
    description: 'The name of this daemon in its cluster; that of its machine unless set',
  }),
  'daemon.host': define({
    schema: () => label.optional(),
    default: undefined,
    scope: 'daemon',
    needsPro: true,
    description:
      'The machine whose files this daemon sees: daemons with the same one share directories and worktrees. The host name unless set',
  }),
  'daemon.labels': define({
    schema: () => z.array(label).max(50),
    default: [],
    scope: 'daemon',
    needsPro: true,
    description: 'What tasks can ask of this daemon in mode pro, such as gpu',
  }),
};
