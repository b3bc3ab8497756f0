import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { usageRoutes } from '../../contract/usage.ts';
import type { App } from '../../core/app.ts';
import { priceTable } from '../../core/providers/price-table.ts';
import { pageOf } from '../page-of.ts';
import { BytesAnswer, implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerUsage(
  server: FastifyInstance,
  {
    usageReports,
    budgetReports,
    config,
    runtime,
  }: Pick<App, 'usageReports' | 'budgetReports' | 'config' | 'runtime'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    usageRoutes,
    {
      list: ({ query }, { caller }) => usageReports.list(caller, query),
      listBudgets: async ({ query }, { caller }) =>
        pageOf('budgets', await budgetReports.list(caller), query),
      listPrices: ({ query }) =>
        pageOf('prices', priceTable(config.get('models.prices'), runtime.now()), query),
      getCsv: async ({ query }, { caller }) =>
        new BytesAnswer(Readable.from([await usageReports.csv(caller, query)])),
    },
    check,
  );
}
