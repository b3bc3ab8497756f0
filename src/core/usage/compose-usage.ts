import type { Feature } from '../lifecycle.ts';
import { UsageLedger, type UsageLedgerDeps } from './usage-ledger.ts';
import { UsageService } from './usage-service.ts';

export interface UsageServices {
  usage: UsageLedger;
  usageReports: UsageService;
}

/** The ledger of what models use, and its reports. */
export function composeUsage(deps: UsageLedgerDeps): Feature<UsageServices> {
  const usage = new UsageLedger(deps);
  return {
    services: { usage, usageReports: new UsageService(deps) },
    lifecycle: { stop: () => usage.idle() },
  };
}
