import { z } from 'zod';
import type { Experience } from '../../../contract/experiences.ts';
import type { FoundChunk } from '../../../contract/memory.ts';
import { AppError } from '../../errors.ts';
import type { ExperienceService } from '../../memory/learned/experience-service.ts';
import type { MemoryService } from '../../memory/memory-service.ts';
import { describeExperience } from '../../memory/learned/describe-experience.ts';
import type { Runtime } from '../../runtime.ts';
import { OutputLines } from '../files/output-lines.ts';
import { unlessAborted } from '../../async/unless-aborted.ts';
import { escapeInvisible } from '../../text/escape-invisible.ts';
import { defineTool, type Tool, ToolFailure } from '../tool.ts';

const MAX_EXPERIENCES = 5;
/** The limit of one result in characters, because a very long line can be a chunk. */
const MAX_TEXT = 4000;

export interface MemorySearchDeps {
  memory: Pick<MemoryService, 'search' | 'isEmpty'>;
  experiences: Pick<ExperienceService, 'search' | 'isEmpty' | 'hasAny'>;
  runtime: Pick<Runtime, 'now'>;
}

/** `memory_search`: searches the indexed files and the experiences of the run's user. */
export const memorySearchTool = ({ memory, experiences, runtime }: MemorySearchDeps): Tool =>
  defineTool({
    name: 'memory_search',
    description:
      'Searches the indexed folders, and what was learned from earlier work, by keywords or a question. Returns parts of files with their path and lines, and what led to success before; a part may be older than its file, so read the file before you change it.',
    input: z.object({
      query: z.string().trim().min(1).max(1000).describe('Keywords or a question'),
      limit: z.int().min(1).max(20).default(6).describe('The most parts of files to return'),
    }),
    isReadOnly: true,
    danger: 'low',
    unavailable: () =>
      memory.isEmpty && experiences.isEmpty
        ? 'nothing is indexed or learned yet: svc memory sync FOLDER'
        : undefined,
    plan: ({ query, limit }, { userId, mode, isTrusted, signal }) => {
      // The author of the untrusted text could read the memory in the output of the run.
      if (!isTrusted)
        throw new ToolFailure(
          'memory_search is not available to runs that were triggered by untrusted input',
        );
      const caller = { userId, role: 'user' as const };
      const isShareable = ({ origin }: Experience) => origin.trusted || mode !== 'full';
      return {
        access: {},
        run: async () => {
          const faults: string[] = [];
          const orNothing = async <T>(read: () => Promise<T[]>): Promise<T[]> => {
            try {
              return await unlessAborted(read(), signal);
            } catch (error) {
              if (signal.aborted || !(error instanceof AppError)) throw error;
              faults.push(error.message);
              return [];
            }
          };
          const [chunks, learned] = await Promise.all([
            orNothing(async () =>
              memory.isEmpty ? [] : (await memory.search({ query, maxResults: limit, minScore: 0 })).chunks,
            ),
            orNothing(async () =>
              (await experiences.hasAny(userId))
                ? (await experiences.search(caller, { q: query, limit: MAX_EXPERIENCES })).experiences
                : [],
            ),
          ]);
          const known = learned.filter(isShareable);
          if (chunks.length + known.length === 0 && faults.length > 0)
            throw new ToolFailure(`The memory could not be searched: ${faults.join('. ')}`);
          return { content: formatResults(chunks, known, faults, runtime.now()), origin: 'The memory' };
        },
      };
    },
  });

function formatResults(
  chunks: FoundChunk[],
  experiences: (Experience & { score: number })[],
  faults: string[],
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
  let shown = 0;
  while (shown < parts.length && output.add(parts[shown] ?? '')) shown++;
  return output.finish(
    parts.length === 0 && 'nothing found',
    shown < parts.length && `${parts.length - shown} more found, lower the limit to see them`,
    ...faults,
  );
}

const cut = (text: string): string =>
  text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}… (cut, it has ${text.length} characters)`.toWellFormed();
