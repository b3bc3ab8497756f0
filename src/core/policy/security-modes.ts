import { type SecurityMode, securityModeSchema } from '../../contract/security-mode.ts';

const byTrust = securityModeSchema.options;

/** The one of the modes that lets less happen. */
export const stricterMode = (a: SecurityMode, b: SecurityMode): SecurityMode =>
  byTrust.indexOf(a) <= byTrust.indexOf(b) ? a : b;

/** The mode in force: only an administrator gets a less strict one than the policy has. */
export const modeFor = (
  policyMode: SecurityMode,
  wish: SecurityMode | undefined,
  isAdmin: boolean,
): SecurityMode => (wish === undefined ? policyMode : isAdmin ? wish : stricterMode(policyMode, wish));
