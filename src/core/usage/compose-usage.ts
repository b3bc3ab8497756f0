import type { Feature } from '../lifecycle.ts';
import { UsageLedger, type UsageLedgerDeps } from './usage-ledger.ts';

/** The ledger of what models use. */
export function composeUsage(deps: UsageLedgerDeps): Feature<{ usage: UsageLedger }> {
  const usage = new UsageLedger(deps);
  return { services: { usage }, lifecycle: { stop: () => usage.idle() } };
}
