import type { RecalledMemory } from '../../../contract/chat.ts';
import type { Experience } from '../../../contract/experiences.ts';
import type { ScoredChunk, SearchMethod, SearchResult } from '../../../contract/memory.ts';
import type { Preference } from '../../../contract/preferences.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Config } from '../../config/config.ts';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime.ts';
import { unlessAborted } from '../../async/unless-aborted.ts';
import { escapeInvisible } from '../../text/escape-invisible.ts';
import type { ExperienceService } from '../../memory/learned/experience-service.ts';
import type { PreferenceService } from '../../memory/learned/preference-service.ts';
import { directoryOf, type MemoryScope } from '../../memory/memory-scope.ts';
import type { MemoryService } from '../../memory/memory-service.ts';
import { describeExperience, describeOrigin } from '../../memory/learned/describe-experience.ts';
import { isRelevant, significantWordsOf } from './is-relevant.ts';
import { type Section, renderSections } from './render-sections.ts';

/** Recall is optional, so a turn does not wait longer for it. */
const TIMEOUT_MS = 1500;
const MAX_TOKENS = 1500;
const MAX_CHUNKS = 5;
const MAX_EXPERIENCES = 3;
/** More than needed, because some are filtered out. */
const MAX_CANDIDATES = 12;
const MAX_PREFERENCES = 10;
const MIN_CONFIDENCE = 0.5;
/** Characters kept from the beginning and from the end of a long question. */
const QUESTION_PART = 1000;

/** Minimum scores. A hybrid score comes from ranks, so only hits at the top of both rankings pass. */
const minScores: Record<Exclude<SearchMethod, 'keyword'>, number> = { vector: 0.35, hybrid: 0.9 };

export interface RecallDeps {
  config: Config;
  memory: Pick<MemoryService, 'search' | 'isEmpty'>;
  experiences: Pick<ExperienceService, 'search' | 'hasAny'>;
  preferences: Pick<PreferenceService, 'list'>;
  runtime: Runtime;
  log: Log;
  /** Timeout for each kind of memory; for tests. */
  timeoutMs?: number;
}

export interface RecallOptions {
  /** Leaves out everything derived from untrusted text. */
  trustedOnly: boolean;
  /** Everything that belongs to no project unless set. */
  scope?: MemoryScope;
  signal: AbortSignal;
}

/** Finds what the memory holds about a question and renders it for a model. */
export class Recall {
  readonly #deps: RecallDeps;
  constructor(deps: RecallDeps) {
    this.#deps = deps;
  }

  /** Never throws: memory that cannot be read is left out. `text` is fenced as data, with the origin of each item. */
  async forQuestion(
    userId: string,
    question: string,
    { trustedOnly, scope = { project: undefined }, signal }: RecallOptions,
  ): Promise<{ text: string | undefined; memory: RecalledMemory[] }> {
    const { config, runtime, timeoutMs = TIMEOUT_MS } = this.#deps;
    if (!config.get('memory.recall')) return { text: undefined, memory: [] };
    const query = shorten(question);
    const words = significantWordsOf(query);
    const caller: Caller = { userId, role: 'user' };
    const abort = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const [preferences, experiences, chunks] = await Promise.all([
      this.#orEmpty(() => this.#preferences(caller), abort),
      this.#orEmpty(() => this.#experiences(caller, query, words, scope), abort),
      this.#orEmpty(() => this.#chunks(query, words, directoryOf(scope)), abort),
    ]);
    const isAllowed = ({ origin }: { origin: Experience['origin'] }) => origin.trusted || !trustedOnly;
    return renderSections(
      runtime,
      [
        preferencesSection(preferences.filter(isAllowed).slice(0, MAX_PREFERENCES)),
        experiencesSection(experiences.filter(isAllowed).slice(0, MAX_EXPERIENCES), runtime.now()),
        chunksSection(chunks),
      ],
      MAX_TOKENS,
    );
  }

  async #orEmpty<T>(read: () => Promise<T[]>, abort: AbortSignal): Promise<T[]> {
    try {
      return await unlessAborted(read(), abort);
    } catch (error) {
      this.#deps.log.debug({ reason: messageOf(error) }, 'a part of the memory was not searched');
      return [];
    }
  }

  async #preferences(caller: Caller): Promise<Preference[]> {
    const known = await this.#deps.preferences.list(caller, caller.userId);
    return known.filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
  }

  async #experiences(caller: Caller, q: string, words: string[], scope: MemoryScope) {
    const { experiences } = this.#deps;
    if (words.length === 0 || !(await experiences.hasAny(caller.userId))) return [];
    const { method, experiences: found } = await experiences.search(caller, {
      q,
      limit: MAX_CANDIDATES,
      scope,
    });
    return found.filter(({ intent, solution, tags, score }) => {
      if (method !== 'keyword') return score >= minScores[method];
      return isRelevant(words, { text: [intent, ...solution, ...tags].join('\n'), score }, found.length);
    });
  }

  /**
   * Searches by vector and by keyword separately, because a hybrid rank does not say whether the best hit is relevant.
   */
  async #chunks(query: string, words: string[], under: string | undefined): Promise<ScoredChunk[]> {
    const { memory } = this.#deps;
    if (words.length === 0 || memory.isEmpty) return [];
    const input = { query, maxResults: MAX_CHUNKS, minScore: 0, under };
    const fitting = ({ method, chunks, totalCandidates }: SearchResult) =>
      chunks.filter(({ path, heading = '', text, score }) => {
        if (method !== 'keyword') return score >= minScores[method];
        return isRelevant(words, { text: [path, heading, text].join('\n'), score }, totalCandidates);
      });
    const byMeaning = await memory.search({ ...input, method: 'vector' });
    if (byMeaning.method === 'keyword') return fitting(byMeaning);
    const byWords = await memory.search({ ...input, method: 'keyword' });
    return interleave(fitting(byMeaning), fitting(byWords)).slice(0, MAX_CHUNKS);
  }
}

/** Interleaves the lists and drops duplicates. */
function interleave(...lists: ScoredChunk[][]): ScoredChunk[] {
  const byId = new Map<string, ScoredChunk>();
  const longest = Math.max(...lists.map(({ length }) => length));
  for (let index = 0; index < longest; index++)
    for (const list of lists) {
      const chunk = list[index];
      if (chunk && !byId.has(chunk.id)) byId.set(chunk.id, chunk);
    }
  return [...byId.values()];
}

function shorten(question: string): string {
  const text = question.trim();
  if (text.length <= 2 * QUESTION_PART) return text;
  return `${text.slice(0, QUESTION_PART)}\n${text.slice(-QUESTION_PART)}`.toWellFormed();
}

const preferencesSection = (preferences: Preference[]): Section => ({
  title: 'What the user prefers, as far as it is known',
  tokensEach: 60,
  tokens: 250,
  items: preferences.map(({ id, category, value, confidence, origin }) => ({
    head: `${escapeInvisible(category)}, ${describeOrigin(origin)}`,
    remembered: { kind: 'preference', id, score: confidence, text: value },
  })),
});

const experiencesSection = (experiences: (Experience & { score: number })[], now: Date): Section => ({
  title: 'What was learned from earlier work that may be like this',
  tokensEach: 250,
  tokens: 550,
  items: experiences.map((experience) => {
    const { head, body } = describeExperience(experience, now);
    const { id, score } = experience;
    return { head, remembered: { kind: 'experience', id, score, text: body } };
  }),
});

const chunksSection = (chunks: ScoredChunk[]): Section => ({
  title: 'Parts of indexed files that may fit',
  tokensEach: 420,
  tokens: MAX_TOKENS,
  items: chunks.map(({ id, path, startLine, endLine, score, text, stale }) => ({
    head: `${escapeInvisible(path)}:${startLine}-${endLine}${stale ? ' (the file has changed since)' : ''}`,
    remembered: { kind: 'chunk', id, path, startLine, endLine, score, text },
  })),
});
