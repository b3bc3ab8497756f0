import { type SecurityMode, securityModeSchema } from '../../contract/security-mode.ts';

const strictestFirst = securityModeSchema.options;

/** The stricter of two modes. */
export const stricterMode = (a: SecurityMode, b: SecurityMode): SecurityMode =>
  strictestFirst.indexOf(a) <= strictestFirst.indexOf(b) ? a : b;

/** The effective mode: only an administrator may request one that is less strict than the policy's. */
export const modeFor = (
  policyMode: SecurityMode,
  requested: SecurityMode | undefined,
  isAdmin: boolean,
): SecurityMode =>
  requested === undefined ? policyMode : isAdmin ? requested : stricterMode(policyMode, requested);
