import { z } from 'zod';
import { timestampSchema } from './primitives.ts';

const MAX_COMMANDS = 10;

/** The commands that verify a task, each for `sh -c`. */
export const verifySchema = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(4000)
      .refine((command) => !command.includes('\0'), 'A command cannot hold a NUL character'),
  )
  .min(1)
  .max(MAX_COMMANDS);

/** How often the agent may try again after a failed verification. */
export const repairSchema = z.int().min(0).max(10);
export const DEFAULT_REPAIR = 2;

/** A command that verified a task, as it ended in the last round. */
export const verifiedCommandSchema = z.object({
  command: z.string(),
  exitCode: z.int().nullable().meta({ description: 'null if it did not exit on its own' }),
  problem: z.string().optional().meta({ description: 'Why it has no exit code' }),
  flaky: z
    .literal(true)
    .optional()
    .meta({ description: 'It failed, and succeeded when it ran again on the same files' }),
  durationMs: z.int(),
  outputTail: z.string().meta({ description: 'The end of its output, up to 8 KiB' }),
  outputHash: z.string().meta({ description: 'SHA-256 of its whole output, in hexadecimal' }),
});
export type VerifiedCommand = z.output<typeof verifiedCommandSchema>;

/** Whether the commands of a task say that it is done. */
export const verificationSchema = z
  .object({
    status: z.enum(['passed', 'failed']),
    commands: z.array(verifiedCommandSchema).meta({ description: 'The last round' }),
    rounds: z.int().meta({ description: 'How often the commands ran' }),
    environment: z
      .enum(['sandbox', 'no sandbox'])
      .meta({ description: 'Where they ran: as the commands of the agent do' }),
    changedFiles: z
      .array(z.string())
      .optional()
      .meta({ description: 'Files named in the commands that were changed during the run' }),
  })
  .meta({ id: 'Verification' });
export type Verification = z.output<typeof verificationSchema>;

const checkStatusSchema = z.enum(['running', 'passed', 'failed', 'interrupted']);

const checkRoundSchema = z.object({
  attempt: z.int().meta({ description: 'The run of the agent that it verified' }),
  round: z.int(),
  status: checkStatusSchema,
  startedAt: timestampSchema,
  endedAt: timestampSchema.optional(),
  environment: verificationSchema.shape.environment.optional(),
  commands: z
    .array(verifiedCommandSchema.partial().required({ command: true }))
    .meta({ description: 'The end of the output is kept of the last round only' }),
});
export type CheckRound = z.output<typeof checkRoundSchema>;

/** How the commands that verify a task ended, in every round. */
export const taskChecksSchema = z
  .object({
    taskId: z.string(),
    commands: z.array(z.string()).meta({ description: 'The commands of the task; empty without any' }),
    status: checkStatusSchema.optional().meta({ description: 'Of the last round; absent before the first' }),
    rounds: z.array(checkRoundSchema).meta({ description: 'Of all attempts, the earliest first' }),
    changedFiles: verificationSchema.shape.changedFiles,
  })
  .meta({ id: 'TaskChecks' });
export type TaskChecks = z.output<typeof taskChecksSchema>;
