import { z } from 'zod';
import type { Experience } from '../../../contract/experiences.ts';
import type { ScoredChunk } from '../../../contract/memory.ts';
import { AppError } from '../../errors.ts';
import type { ExperienceService } from '../../memory/learned/experience-service.ts';
import { directoryOf } from '../../memory/memory-scope.ts';
import type { MemoryService } from '../../memory/memory-service.ts';
import { describeExperience } from '../../memory/learned/describe-experience.ts';
import type { Runtime } from '../../runtime.ts';
import { OutputLines } from '../files/output-lines.ts';
import { unlessAborted } from '../../async/unless-aborted.ts';
import { escapeInvisible } from '../../text/escape-invisible.ts';
import { defineTool, type Tool, ToolFailure } from '../tool.ts';

const MAX_EXPERIENCES = 5;
/** Maximum characters of one result: a very long line is one chunk, too. */
const MAX_TEXT = 4000;

export interface MemorySearchDeps {
  memory: Pick<MemoryService, 'search' | 'isEmpty'>;
  experiences: Pick<ExperienceService, 'search' | 'isEmpty' | 'hasAny'>;
  runtime: Pick<Runtime, 'now'>;
}

/** `memory_search`: searches indexed files and the experiences of the user. */
export const memorySearchTool = ({ memory, experiences, runtime }: MemorySearchDeps): Tool =>
  defineTool({
    name: 'memory_search',
    description:
      'Searches indexed folders and what was learned from earlier work, by keywords or a question. Returns parts of files with their path and lines, and what led to success before. A part may be older than its file, so read the file before you change it.',
    input: z.object({
      query: z.string().trim().min(1).max(1000).describe('Keywords or a question'),
      limit: z.int().min(1).max(20).default(6).describe('The maximum number of file parts to return'),
    }),
    isReadOnly: true,
    danger: 'low',
    unavailable: () =>
      memory.isEmpty && experiences.isEmpty
        ? 'nothing is indexed or learned yet: svc memory sync FOLDER'
        : undefined,
    plan: (
      { query, limit },
      { userId, mode, isTrusted, memoryScope: scope = { project: undefined }, signal },
    ) => {
      // The author of the untrusted text could read the results in the answer of the run.
      if (!isTrusted)
        throw new ToolFailure('memory_search is not available in a run that untrusted text started');
      const caller = { userId, role: 'user' as const };
      const isAllowed = ({ origin }: Experience) => origin.trusted || mode !== 'full';
      return {
        access: {},
        run: async () => {
          const errors: string[] = [];
          const orEmpty = async <T>(read: () => Promise<T[]>): Promise<T[]> => {
            try {
              return await unlessAborted(read(), signal);
            } catch (error) {
              if (signal.aborted || !(error instanceof AppError)) throw error;
              errors.push(error.message);
              return [];
            }
          };
          const [chunks, learned] = await Promise.all([
            orEmpty(async () =>
              memory.isEmpty
                ? []
                : (await memory.search({ query, maxResults: limit, minScore: 0, under: directoryOf(scope) }))
                    .chunks,
            ),
            orEmpty(async () =>
              (await experiences.hasAny(userId))
                ? (await experiences.search(caller, { q: query, limit: MAX_EXPERIENCES, scope })).experiences
                : [],
            ),
          ]);
          const known = learned.filter(isAllowed);
          if (chunks.length + known.length === 0 && errors.length > 0)
            throw new ToolFailure(`The memory could not be searched: ${errors.join('. ')}`);
          return { content: formatResults(chunks, known, errors, runtime.now()), origin: 'The memory' };
        },
      };
    },
  });

function formatResults(
  chunks: ScoredChunk[],
  experiences: (Experience & { score: number })[],
  errors: string[],
  now: Date,
): string {
  const output = new OutputLines();
  const parts = [
    ...chunks.map(({ path, startLine, endLine, score, stale, text }) => {
      const note = stale ? ', the file has changed since' : '';
      return `${escapeInvisible(path)}:${startLine}-${endLine} (score ${score.toFixed(2)}${note})\n${cut(text)}\n`;
    }),
    ...experiences.map((experience) => {
      const { head, body } = describeExperience(experience, now);
      return `Learned: ${head} (score ${experience.score.toFixed(2)})\n${cut(body)}\n`;
    }),
  ];
  let included = 0;
  while (included < parts.length && output.add(parts[included] ?? '')) included++;
  return output.finish(
    parts.length === 0 && 'nothing found',
    included < parts.length && `${parts.length - included} more found, narrow the query to see them`,
    ...errors,
  );
}

const cut = (text: string): string =>
  text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}… (cut, it has ${text.length} characters)`.toWellFormed();
