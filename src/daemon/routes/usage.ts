import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { usageRoutes } from '../../contract/usage.ts';
import type { App } from '../../core/app.ts';
import { BytesAnswer, implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerUsage(
  server: FastifyInstance,
  {
    usageReports,
    budgetReports,
    modelProviders,
  }: Pick<App, 'usageReports' | 'budgetReports' | 'modelProviders'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    usageRoutes,
    {
      list: ({ query }, { caller }) => usageReports.list(caller, query),
      listBudgets: async (_, { caller }) => ({ budgets: await budgetReports.list(caller) }),
      listPrices: async () => ({ prices: modelProviders.prices() }),
      getCsv: async ({ query }, { caller }) =>
        new BytesAnswer(Readable.from([await usageReports.csv(caller, query)])),
    },
    check,
  );
}
