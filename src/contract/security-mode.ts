import { z } from 'zod';

/** Provider in use before a tool runs; from the strictest to the most trusting. */
export const securityModeSchema = z.enum(['deny', 'sandbox', 'allowlist', 'ask', 'full']);
export type SecurityMode = z.output<typeof securityModeSchema>;
