import { z } from 'zod';

const LABEL = /^(?:host:|daemon:)?[a-z0-9][a-z0-9._-]{0,99}$/i;

/** The labels that a daemon must have to run a task. */
export const needsSchema = z
  .array(z.string().regex(LABEL, 'Expected a label such as gpu, or host: and the name of a host'))
  .max(20)
  .meta({
    description:
      'Labels that a daemon must have to run it: those of `daemon.labels`, `host:` with its host, `daemon:` with its ID',
  });

/** The daemon of a run. */
export const runDaemonSchema = z
  .object({
    id: z.string(),
    name: z.string().optional().meta({ description: 'Absent for runs of versions that did not store it' }),
    host: z.string(),
  })
  .meta({ id: 'RunDaemon' });
export type RunDaemon = z.output<typeof runDaemonSchema>;
