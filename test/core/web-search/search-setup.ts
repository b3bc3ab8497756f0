import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchProviderId } from '../../../src/contract/integrations.ts';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { Config, type Flags } from '../../../src/core/config/config.ts';
import { WebSearch } from '../../../src/core/web-search/web-search.ts';
import { createOutboundFetch } from '../../../src/core/outbound/outbound-fetch.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { openStorage } from '../../helpers/storage.ts';

export const key = 'planted-0123456789abcdef';

/** Web search with real dependencies, which may reach servers on this machine. */
export async function createWebSearch(flags: Flags = {}) {
  const directory = temporaryFolder();
  const allowed: Flags = { 'outbound.allowPrivate': ['127.0.0.1/32'] };
  const config = new Config({
    flags: { ...allowed, ...flags },
    env: {},
    settingsFile: join(directory, 'settings.json'),
  });
  const storage = await openStorage();
  const outbound = createOutboundFetch(() => config.get('outbound.allowPrivate'));
  const webSearch = new WebSearch({
    config,
    outbound,
    database: storage.database,
    audit: new AuditLog(systemRuntime, storage.database.engine),
    runtime: systemRuntime,
  });
  return {
    webSearch,
    async [Symbol.asyncDispose]() {
      await outbound.close();
      await storage[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    },
  };
}

/** The settings of a provider at this URL. */
export const providerAt = (id: SearchProviderId, url: string): Flags => ({
  [`integrations.webSearch.${id}.apiKey`]: key,
  [`integrations.webSearch.${id}.baseUrl`]: url,
});
