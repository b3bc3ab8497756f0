import { z } from 'zod';

/** Who is asked before a tool runs; from the strictest to the most trusting. */
export const securityModeSchema = z.enum(['deny', 'sandbox', 'allowlist', 'ask', 'full']);
export type SecurityMode = z.output<typeof securityModeSchema>;
