import type { Remembered } from '../../../contract/chat.ts';
import type { Experience } from '../../../contract/experiences.ts';
import type { FoundChunk, SearchMethod, SearchResult } from '../../../contract/memory.ts';
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
import type { MemoryService } from '../../memory/memory-service.ts';
import { describeExperience, describeOrigin } from '../../memory/learned/describe-experience.ts';
import { fitsByWords, tellingWordsOf } from './fits-question.ts';
import { type Section, tellSections } from './remembered-text.ts';

/** Nobody waits longer for what is only of help. */
const LIMIT_MS = 1500;
const MAX_TOKENS = 1500;
const MAX_CHUNKS = 5;
const MAX_EXPERIENCES = 3;
/** Some of them may not be told. */
const LOOKED_AT = 12;
const MAX_PREFERENCES = 10;
const LEAST_CONFIDENCE = 0.5;
/** Of a long question its beginning and its end, in characters. */
const QUESTION_PART = 1000;

/** What is less near by its meaning is told to nobody; by ranks alone, what is not among the first of both ways. */
const leastScore: Record<Exclude<SearchMethod, 'keyword'>, number> = { vector: 0.35, hybrid: 0.9 };

export interface RecallDeps {
  config: Config;
  memory: Pick<MemoryService, 'search' | 'isEmpty'>;
  experiences: Pick<ExperienceService, 'search' | 'hasAny'>;
  preferences: Pick<PreferenceService, 'list'>;
  runtime: Runtime;
  log: Log;
  /** How long each part of the memory may take; for tests. */
  limitMs?: number;
}

export interface RecallRules {
  /** Leaves out what a stranger's text had a part in. */
  trustedOnly: boolean;
  signal: AbortSignal;
}

/** What of the memory fits a question, for a model to be told. */
export class Recall {
  readonly #deps: RecallDeps;
  constructor(deps: RecallDeps) {
    this.#deps = deps;
  }

  /** Never fails a run: what cannot be read is left out. `text` is fenced as data, with the origin of each part. */
  async about(
    userId: string,
    question: string,
    { trustedOnly, signal }: RecallRules,
  ): Promise<{ text: string | undefined; memory: Remembered[] }> {
    const { config, runtime, limitMs = LIMIT_MS } = this.#deps;
    if (!config.get('memory.recall')) return { text: undefined, memory: [] };
    const query = shorten(question);
    const words = tellingWordsOf(query);
    const caller: Caller = { userId, role: 'user' };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const [preferences, experiences, chunks] = await Promise.all([
      this.#orNothing(() => this.#preferences(caller), limit),
      this.#orNothing(() => this.#experiences(caller, query, words), limit),
      this.#orNothing(() => this.#chunks(query, words), limit),
    ]);
    const isTold = ({ origin }: { origin: Experience['origin'] }) => origin.trusted || !trustedOnly;
    return tellSections(
      runtime,
      [
        preferencesSection(preferences.filter(isTold).slice(0, MAX_PREFERENCES)),
        experiencesSection(experiences.filter(isTold).slice(0, MAX_EXPERIENCES), runtime.now()),
        chunksSection(chunks),
      ],
      MAX_TOKENS,
    );
  }

  async #orNothing<T>(read: () => Promise<T[]>, limit: AbortSignal): Promise<T[]> {
    try {
      return await unlessAborted(read(), limit);
    } catch (error) {
      this.#deps.log.debug({ reason: messageOf(error) }, 'a part of the memory was not asked');
      return [];
    }
  }

  async #preferences(caller: Caller): Promise<Preference[]> {
    const known = await this.#deps.preferences.list(caller, caller.userId);
    return known.filter(({ confidence }) => confidence >= LEAST_CONFIDENCE);
  }

  async #experiences(caller: Caller, q: string, words: string[]) {
    const { experiences } = this.#deps;
    if (words.length === 0 || !(await experiences.hasAny(caller.userId))) return [];
    const { method, experiences: found } = await experiences.search(caller, { q, limit: LOOKED_AT });
    return found.filter(({ intent, solution, tags, score }) => {
      if (method !== 'keyword') return score >= leastScore[method];
      return fitsByWords(words, { text: [intent, ...solution, ...tags].join('\n'), score }, found.length);
    });
  }

  /** Each way of searching by itself: ranks alone do not tell whether the first of them fits. */
  async #chunks(query: string, words: string[]): Promise<FoundChunk[]> {
    const { memory } = this.#deps;
    if (words.length === 0 || memory.isEmpty) return [];
    const wish = { query, maxResults: MAX_CHUNKS, minScore: 0 };
    const fitting = ({ method, chunks, totalCandidates }: SearchResult) =>
      chunks.filter(({ path, heading = '', text, score }) => {
        if (method !== 'keyword') return score >= leastScore[method];
        return fitsByWords(words, { text: [path, heading, text].join('\n'), score }, totalCandidates);
      });
    const byMeaning = await memory.search({ ...wish, method: 'vector' });
    if (byMeaning.method === 'keyword') return fitting(byMeaning);
    const byWords = await memory.search({ ...wish, method: 'keyword' });
    return inTurns(fitting(byMeaning), fitting(byWords)).slice(0, MAX_CHUNKS);
  }
}

/** The first of each, the second of each, and so on; each chunk once. */
function inTurns(...lists: FoundChunk[][]): FoundChunk[] {
  const byId = new Map<string, FoundChunk>();
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
  what: 'What the user prefers, as far as it is known',
  tokensEach: 60,
  tokens: 250,
  tellings: preferences.map(({ id, category, value, confidence, origin }) => ({
    head: `${escapeInvisible(category)}, ${describeOrigin(origin)}`,
    remembered: { kind: 'preference', id, score: confidence, text: value },
  })),
});

const experiencesSection = (experiences: (Experience & { score: number })[], now: Date): Section => ({
  what: 'What was learned from earlier work that may be like this',
  tokensEach: 250,
  tokens: 550,
  tellings: experiences.map((experience) => {
    const { head, body } = describeExperience(experience, now);
    const { id, score } = experience;
    return { head, remembered: { kind: 'experience', id, score, text: body } };
  }),
});

const chunksSection = (chunks: FoundChunk[]): Section => ({
  what: 'Parts of indexed files that may fit',
  tokensEach: 420,
  tokens: MAX_TOKENS,
  tellings: chunks.map(({ id, path, startLine, endLine, score, text, stale }) => ({
    head: `${escapeInvisible(path)}:${startLine}-${endLine}${stale ? ' (the file has changed since)' : ''}`,
    remembered: { kind: 'chunk', id, path, startLine, endLine, score, text },
  })),
});
