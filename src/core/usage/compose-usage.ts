import type { Config } from '../config/config.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import { rollUpBefore } from './roll-up.ts';
import { dayOf } from './usage-days.ts';
import { UsageLedger, type UsageLedgerDeps } from './usage-ledger.ts';
import { UsageService } from './usage-service.ts';

const DAY_MS = 86_400_000;

export interface UsageServices {
  usage: UsageLedger;
  usageReports: UsageService;
}

/** The ledger of what models use, and its reports. */
export function composeUsage(
  deps: UsageLedgerDeps & { config: Pick<Config, 'get'> },
): Feature<UsageServices> {
  const usage = new UsageLedger(deps);
  return {
    services: { usage, usageReports: new UsageService({ ...deps, usage }) },
    lifecycle: {
      stop: () => usage.idle(),
      tidy: {
        everyMs: TIDY_EVERY_MS,
        run: async () => {
          const days = deps.config.get('usage.tasksDays');
          const before = dayOf(new Date(deps.runtime.now().getTime() - days * DAY_MS));
          if (days > 0) await rollUpBefore(deps.database, before);
        },
        shared: 'usage',
      },
    },
  };
}
