import type { Experience } from '../../../src/contract/experiences.ts';
import type { ScoredChunk, MemorySession, MemoryStats, SyncResult } from '../../../src/contract/memory.ts';
import type { Preference } from '../../../src/contract/preferences.ts';
import { ago, idOf } from './webhook-samples.ts';

export const foundChunk = (path: string, changes: Partial<ScoredChunk> = {}): ScoredChunk => ({
  id: 'chunk_7',
  path,
  startLine: 12,
  endLine: 14,
  text: '# Rollback\nTo roll back, run the script.\nIt takes a minute.',
  heading: 'Deploying > Rollback',
  score: 0.834,
  ...changes,
});
export const statsOf = (changes: Partial<MemoryStats> = {}): MemoryStats => ({
  fileCount: 1204,
  chunkCount: 9321,
  lastSyncAt: ago(3),
  method: 'keyword',
  roots: ['/home/ada/notes'],
  ...changes,
});
export const synced = (changes: Partial<SyncResult> = {}): SyncResult => ({
  synced: 1204,
  added: 12,
  updated: 3,
  removed: 1,
  skipped: 14,
  durationMs: 2345,
  cancelled: false,
  reasons: { 'too large': 4, binary: 10 },
  ...changes,
});
export const memorySession = (number: number, changes: Partial<MemorySession> = {}): MemorySession => ({
  id: idOf('memsess', number),
  name: 'The release',
  userId: 'user_1',
  status: 'active',
  createdAt: ago(3),
  ...changes,
});
export const preference = (number: number, changes: Partial<Preference> = {}): Preference => ({
  id: idOf('pref', number),
  userId: 'user_1',
  category: 'tests',
  value: 'vitest',
  confidence: 0.5,
  count: 1,
  origin: { kind: 'user', userId: 'user_1', trusted: true },
  createdAt: ago(3),
  updatedAt: ago(3),
  ...changes,
});
export const experience = (number: number, changes: Partial<Experience> = {}): Experience => ({
  id: idOf('exp', number),
  type: 'task_solution',
  intent: 'deploy the docs',
  solution: ['npm run build', 'npm run push\nand wait'],
  successScore: 1,
  tags: ['deploy'],
  weight: 1.25,
  useCount: 2,
  lastUsedAt: ago(3),
  origin: { kind: 'user', userId: 'user_1', trusted: true },
  createdAt: ago(3),
  ...changes,
});
