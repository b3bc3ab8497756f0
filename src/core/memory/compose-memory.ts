import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { SyncProgress } from '../../contract/memory.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Config } from '../config/config.ts';
import type { Feature } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import type { EventBus } from '../events.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import type { SettingService } from '../settings/setting-service.ts';
import { Embedder } from './embeddings/embedder.ts';
import { VectorFill } from './embeddings/vector-fill.ts';
import { IndexClient } from './index/index-client.ts';
import { decayDaily } from './learned/daily-decay.ts';
import { ExperienceService } from './learned/experience-service.ts';
import { MemorySessionService } from './learned/memory-session-service.ts';
import { PreferenceService } from './learned/preference-service.ts';
import { MemoryRoots } from './memory-roots.ts';
import { MemoryService } from './memory-service.ts';

const TIDY_EVERY_MS = 300_000;
/** Of the database of the index, in memory. */
const CACHE_MIB = { pico: 4, mini: 16 };

export interface MemoryDeps {
  database: Database;
  bus: EventBus;
  config: Config;
  locations: Locations;
  protectedDirectories: string[];
  modelProviders: ModelProviders;
  settings: SettingService;
  reportBug: (error: unknown) => void;
  runtime: Runtime;
  log: Log;
}

/** What is found again: files, experiences, preferences. */
export function composeMemory(deps: MemoryDeps) {
  const { config, bus, locations, protectedDirectories, modelProviders, settings, reportBug, runtime, log } =
    deps;
  const mode = config.get('mode');
  const canWatch = mode !== 'pico';
  const mayWatch = () => canWatch && config.get('memory.watch');
  const onProgress = (progress: SyncProgress) => bus.emit('memory_progress', progress);
  let entriesAreIn: Promise<void> = Promise.resolve();
  const index = new IndexClient({
    options: {
      file: join(locations.data, 'memory.db'),
      protectedDirectories,
      cacheMiB: CACHE_MIB[mode],
    },
    log,
    onStart: () => {
      const indexing = experiences.indexAll();
      entriesAreIn = indexing.catch(() => undefined);
      return indexing;
    },
    onProgress,
    onChange: () => fill.wake(),
    onLost: () => {
      log.warn({}, 'the index of the memory had to be made anew; everything is synced again');
      memory
        .restore()
        .catch((error: unknown) => log.warn({ err: error }, 'the memory is not synced again yet'));
    },
  });
  const embedder = new Embedder({ ...deps, providers: modelProviders });
  const fill = new VectorFill({
    ...deps,
    embedder,
    index,
    isEmpty: () => memory.isEmpty,
    isComplete: () => entriesAreIn,
  });
  // As often as a setting of a provider changes.
  bus.on('agents_changed', () => fill.startAnew());
  const roots = new MemoryRoots({
    ...deps,
    setRoots: async (caller, folders) => void (await settings.write(caller, 'memory.roots', folders)),
  });
  const rewatch = async () => {
    if (!canWatch) return;
    const watchFiles = config.get('memory.watchFiles');
    await index.call('watch', mayWatch() ? { ...roots.rules(), watchFiles } : undefined);
  };
  const memory = new MemoryService({
    index,
    roots,
    embedder,
    fill,
    monotonic: runtime.monotonic,
    canWatch,
    mayWatch,
    rewatch,
    onProgress,
  });
  const experiences = new ExperienceService({ ...deps, entries: memory.entries });
  const preferences = new PreferenceService(deps);
  const services = {
    memory,
    experiences,
    preferences,
    memorySessions: new MemorySessionService(deps),
  };
  settings.onChange(async (key) => {
    if (!key.startsWith('memory.')) return;
    if (key === 'memory.roots') await index.call('keepOnly', roots.rules().roots);
    if (index.isRunning) await rewatch();
    if (key.startsWith('memory.embedding.')) fill.startAnew();
    else fill.wake();
  });
  return {
    services,
    lifecycle: {
      /** Watches and makes missing vectors; an installation without a memory does nothing. */
      start() {
        if (memory.isEmpty) return;
        rewatch().catch(reportBug);
        fill.wake();
      },
      async stop() {
        await fill.stop();
        await index.close();
      },
      tidy: { everyMs: TIDY_EVERY_MS, run: () => decayDaily({ ...deps, experiences }) },
    },
  } satisfies Feature<typeof services>;
}
