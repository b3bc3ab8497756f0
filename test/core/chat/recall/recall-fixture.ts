import type { Experience } from '../../../../src/contract/experiences.ts';
import type {
  ScoredChunk,
  SearchMemory,
  SearchMethod,
  SearchResult,
} from '../../../../src/contract/memory.ts';
import type { Preference } from '../../../../src/contract/preferences.ts';
import { type Flags, Config } from '../../../../src/core/config/config.ts';
import { silentLog } from '../../../../src/core/log.ts';
import { Recall } from '../../../../src/core/chat/recall/recall.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';

const now = new Date('2026-03-11T12:00:00Z');

export const foundChunk = (id: string, change: Partial<ScoredChunk> = {}): ScoredChunk => ({
  id,
  path: `/srv/notes/${id}.md`,
  startLine: 3,
  endLine: 7,
  text: `What ${id} says`,
  score: 0.8,
  ...change,
});

export const experience = (id: string, change: Partial<Experience & { score: number }> = {}) => ({
  id,
  type: 'task_solution' as const,
  intent: `Do ${id}`,
  solution: ['read_file notes.txt', `Done with ${id}`],
  successScore: 1,
  tags: [],
  weight: 1,
  useCount: 0,
  origin: { kind: 'task' as const, userId: 'user_ann', taskId: 'task_1', trusted: true },
  createdAt: '2026-03-08T12:00:00.000Z',
  score: 0.8,
  ...change,
});

export const preference = (id: string, change: Partial<Preference> = {}): Preference => ({
  id,
  userId: 'user_ann',
  category: 'style',
  value: `Likes ${id}`,
  confidence: 0.7,
  count: 2,
  origin: { kind: 'user', userId: 'user_ann', trusted: true },
  createdAt: '2026-03-01T12:00:00.000Z',
  updatedAt: '2026-03-01T12:00:00.000Z',
  ...change,
});

export const untrusted = { kind: 'task' as const, userId: 'user_ann', taskId: 'task_2', trusted: false };

export interface Known {
  /** By search method; without vectors every search uses keywords. */
  chunks?: Partial<Record<'keyword' | 'vector', ScoredChunk[]>>;
  experiences?: ReturnType<typeof experience>[];
  experienceMethod?: SearchMethod;
  preferences?: Preference[];
}

/** A fake memory that records its queries. */
export function memoryWith({
  chunks,
  experiences = [],
  experienceMethod = 'keyword',
  preferences = [],
}: Known) {
  const asked: string[] = [];
  const memory = {
    isEmpty: chunks === undefined,
    search: async ({ query, method = 'keyword', maxResults }: SearchMemory): Promise<SearchResult> => {
      const by = method === 'vector' && chunks?.vector ? 'vector' : 'keyword';
      asked.push(`${by}: ${query}`);
      const found = (chunks?.[by] ?? []).slice(0, maxResults);
      return { query, method: by, totalCandidates: 9, chunks: found, autoSynced: false, stale: false };
    },
  };
  return {
    asked,
    memory,
    experiences: {
      isEmpty: experiences.length === 0,
      hasAny: async () => experiences.length > 0,
      search: async (caller: { userId: string }, { q, limit }: { q: string; limit: number }) => {
        asked.push(`experiences of ${caller.userId}: ${q}`);
        return { experiences: experiences.slice(0, limit), method: experienceMethod };
      },
    },
    preferences: { list: async () => preferences },
  };
}

export function openRecall(
  known: Known,
  { timeoutMs = 60_000, flags = {} }: { timeoutMs?: number; flags?: Flags } = {},
) {
  const parts = memoryWith(known);
  const noted: object[] = [];
  const recall = new Recall({
    ...parts,
    config: new Config({ flags, env: {}, settingsFile: '/nowhere/settings.json' }),
    runtime: { ...systemRuntime, now: () => now },
    log: { ...silentLog, debug: (fields) => void noted.push(fields) },
    timeoutMs,
  });
  const about = (question: string, { trustedOnly = false, signal = new AbortController().signal } = {}) =>
    recall.forQuestion('user_ann', question, { trustedOnly, signal });
  return { ...parts, recall, about, noted };
}
