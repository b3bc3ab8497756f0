import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { ModelProviders } from '../../../src/core/providers/model-providers.ts';
import { configuredOrigins } from '../../../src/core/providers/provider-connections.ts';
import { Config, type Flags } from '../../../src/core/config/config.ts';
import { EventBus } from '../../../src/core/events.ts';
import { silentLog } from '../../../src/core/log.ts';
import { createModelFetch } from '../../../src/core/outbound/model-fetch.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { openStorage } from '../../helpers/storage.ts';

export interface ProviderPartsOptions {
  flags?: Flags;
  env?: Record<string, string>;
  /** Where a request goes instead: the one thing that is not as in the daemon. */
  redirect?: (url: URL) => string;
  stallMs?: number;
}

/** Model providers with real parts around them. */
export async function createProviders({
  flags = {},
  env = {},
  redirect = (url) => url.href,
  stallMs,
}: ProviderPartsOptions = {}) {
  const folder = temporaryFolder();
  const settingsFile = join(folder, 'settings.json');
  const config = new Config({ flags, env, settingsFile });
  const storage = await openStorage();
  const outbound = createModelFetch(
    () => config.get('outbound.allowPrivate'),
    () => configuredOrigins(config),
    stallMs === undefined ? {} : { stallMs },
  );
  const providers = new ModelProviders({
    config,
    database: storage.database,
    audit: new AuditLog(systemRuntime, storage.database.engine),
    runtime: systemRuntime,
    bus: new EventBus(),
    log: silentLog,
    budgets: { require: async () => undefined },
    fetch: (input, init) =>
      outbound.fetch(redirect(new URL(input instanceof Request ? input.url : input)), init),
  });
  return {
    providers,
    config,
    async [Symbol.asyncDispose]() {
      await outbound.close();
      await storage[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
