import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { SyncProgress } from '../../contract/memory.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { EventBus } from '../events.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import type { Database } from '../storage/database.ts';
import type { Leases } from '../leases.ts';
import type { Runtime } from '../runtime.ts';
import type { SettingService } from '../settings/setting-service.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import { Embedder } from './embeddings/embedder.ts';
import { VectorBackfill } from './embeddings/vector-backfill.ts';
import { IndexClient } from './index/index-client.ts';
import { ExperienceChanges } from './learned/experience-changes.ts';
import { decayDaily } from './learned/daily-decay.ts';
import { ExperienceService } from './learned/experience-service.ts';
import { MemorySessionService } from './learned/memory-session-service.ts';
import { PreferenceService } from './learned/preference-service.ts';
import { MemoryRoots } from './memory-roots.ts';
import { MemoryService } from './memory-service.ts';
import { composeShared } from './shared/compose-shared.ts';

/** Memory cache of the index database. */
const CACHE_MIB = { pico: 4, mini: 16, pro: 16 };

export interface MemoryDeps {
  database: Database;
  bus: EventBus;
  config: Config;
  locations: Locations;
  protectedDirectories: string[];
  modelProviders: ModelProviders;
  usage: UsageLedger;
  settings: SettingService;
  reportBug: (error: unknown) => void;
  leases: Leases;
  daemon: DaemonIdentity;
  runtime: Runtime;
  log: Log;
}

/** Wires the memory: indexed files, experiences, preferences and memory sessions. */
export function composeMemory(deps: MemoryDeps) {
  const { config, bus, locations, protectedDirectories, modelProviders, settings, daemon } = deps;
  const { reportBug, runtime, log } = deps;
  const mode = config.get('mode');
  const canWatch = mode !== 'pico';
  const isWatchEnabled = () => canWatch && config.get('memory.watch');
  const onProgress = (progress: SyncProgress) => bus.emit('memory_progress', progress);
  let entriesIndexed: Promise<void> = Promise.resolve();
  const index = new IndexClient({
    options: {
      file: join(locations.data, 'memory.db'),
      protectedDirectories,
      cacheMiB: CACHE_MIB[mode],
      ...(daemon.isInCluster && { cluster: daemon.clusterId }),
    },
    log,
    onStart: () => {
      shared?.memory.reset();
      const indexing = experiences.indexAll();
      entriesIndexed = indexing.catch(() => undefined);
      return indexing;
    },
    onProgress,
    onChange: () => backfill.wake(),
    onUnpublished: () => shared?.memory.hint(),
    onLost: () => {
      log.warn({}, 'the memory index was recreated; everything is synced again');
      memory
        .restore()
        .catch((error: unknown) => log.warn({ err: error }, 'the memory could not be synced again yet'));
    },
  });
  const shared = composeShared({
    ...deps,
    index,
    wanted: () => roots.outermost(),
    onChange: () => void applyWatchSettings().catch(reportUnlessExpected),
    pullExperiences: (isIndexRunning) => experiences.pull(isIndexRunning),
    onTaken: (taken) => void memory.syncOwn(taken).catch(reportUnlessExpected),
  });
  const reportUnlessExpected = (error: unknown) =>
    error instanceof AppError
      ? log.warn({ reason: error.message }, 'the folders of the memory could not be synced yet')
      : reportBug(error);
  bus.onRemote('memory_sync_wanted', ({ root }) => void memory.syncOwn([root]).catch(reportUnlessExpected));
  const embedder = new Embedder({ ...deps, providers: modelProviders });
  const backfill = new VectorBackfill({
    ...deps,
    embedder,
    index,
    isEmpty: () => memory.isEmpty,
    isComplete: () => entriesIndexed,
    shared: shared?.vectors,
  });
  // Emitted whenever a provider setting changes.
  bus.onLocal('agents_changed', () => backfill.restart());
  const roots = new MemoryRoots({
    ...deps,
    shared: shared?.memory,
    setRoots: async (caller, folders) => void (await settings.write(caller, 'memory.roots', folders)),
  });
  const applyWatchSettings = async () => {
    if (!canWatch || (shared !== undefined && !index.isRunning && roots.rules().roots.length === 0)) return;
    const watchFiles = config.get('memory.watchFiles');
    await index.call('watch', isWatchEnabled() ? { ...roots.rules(), watchFiles } : undefined);
  };
  const memory = new MemoryService({
    index,
    roots,
    embedder,
    backfill,
    shared: shared?.memory,
    monotonic: runtime.monotonic,
    canWatch,
    isWatchEnabled,
    applyWatchSettings,
    onProgress,
  });
  const changes = daemon.isInCluster ? new ExperienceChanges(deps) : undefined;
  const experiences = new ExperienceService({ ...deps, entries: memory.entries, changes });
  const preferences = new PreferenceService(deps);
  const services = {
    memory,
    experiences,
    preferences,
    memorySessions: new MemorySessionService(deps),
  };
  settings.onChange(async (key) => {
    if (!key.startsWith('memory.')) return;
    if (key === 'memory.roots') {
      await shared?.memory.look();
      const { roots: own, elsewhere = [] } = roots.rules();
      await index.call('keepOnly', [...own, ...elsewhere]);
    }
    if (index.isRunning) await applyWatchSettings();
    if (key.startsWith('memory.embedding.')) backfill.restart();
    else backfill.wake();
  });
  return {
    services,
    lifecycle: {
      /** Starts watching and computing missing vectors; does nothing when nothing is indexed. */
      async start() {
        await shared?.memory.start();
        if (memory.isEmpty) return;
        applyWatchSettings().catch(reportBug);
        backfill.wake();
      },
      async stop() {
        await backfill.stop();
        await shared?.memory.stop();
        await index.close();
      },
      tidy: {
        everyMs: TIDY_EVERY_MS,
        run: async () => {
          await decayDaily({ ...deps, experiences });
          await shared?.files.tidy();
          await changes?.tidy();
        },
        shared: 'experiences',
      },
    },
  } satisfies Feature<typeof services>;
}
