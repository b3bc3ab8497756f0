import { z } from 'zod';
import { defineRoutes } from './route.ts';
import { securityModeSchema } from './security-mode.ts';

const agent = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .meta({ description: 'A coding agent; the sandbox of the commands of tools unless set' });

/** What a sandbox shows of this machine. */
export const sandboxReportSchema = z
  .object({
    agent: z.string().optional(),
    isWorking: z.boolean(),
    reason: z.string().optional().meta({ description: 'Why there is no sandbox' }),
    hint: z.string().optional().meta({ description: 'What to do about it' }),
    modes: z.array(securityModeSchema).meta({ description: 'The modes in which it runs now' }),
    network: z.boolean(),
    paths: z.array(
      z.object({
        path: z.string(),
        access: z.enum(['read', 'write', 'memory', 'none']).meta({
          description: '`memory`: an empty directory of its own, gone afterwards; `none`: not visible',
        }),
        why: z.string(),
      }),
    ),
  })
  .meta({ id: 'SandboxReport' });
export type SandboxReport = z.output<typeof sandboxReportSchema>;

/** What came of each attempt to leave a sandbox, and of what has to work in it. */
export const sandboxTestSchema = z
  .object({
    agent: z.string().optional(),
    passed: z.boolean(),
    reason: z.string().optional().meta({ description: 'Why nothing was tried' }),
    checks: z.array(
      z.object({
        name: z.string(),
        passed: z.boolean(),
        detail: z.string().optional().meta({ description: 'What a program that failed has printed last' }),
      }),
    ),
  })
  .meta({ id: 'SandboxTest' });
export type SandboxTest = z.output<typeof sandboxTestSchema>;

export const sandboxRoutes = defineRoutes({
  explain: {
    method: 'GET',
    path: '/api/sandbox',
    access: 'admin',
    summary: 'Show what a sandbox lets an agent or a command see and reach',
    query: z.object({ agent }),
    errors: [404],
    response: z.object({ sandbox: sandboxReportSchema }),
  },
  test: {
    method: 'POST',
    path: '/api/sandbox/test',
    access: 'admin',
    summary: 'Try to leave the sandbox of an agent or a command',
    body: z.object({ agent }),
    errors: [404],
    response: z.object({ test: sandboxTestSchema }),
  },
});
