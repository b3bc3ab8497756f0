import type { Runtime } from '../../runtime.ts';
import type { MessageRow } from '../../storage/rows/conversations.ts';
import { fenceData } from '../../text/fence-data.ts';

/** The end of the conversation that an agent gets again, in characters. */
const MAX_HISTORY = 60_000;

/** The message to an agent that has lost its session: with what was said before, as far as it fits. */
export function withHistory(runtime: Runtime, earlier: readonly MessageRow[], content: string): string {
  const said = earlier
    .filter((message) => message.content.trim() !== '')
    .map((message) => `${message.role === 'user' ? 'User' : 'You'}: ${message.content}`)
    .join('\n\n');
  if (said === '') return content;
  const end = said.length > MAX_HISTORY ? `[…]\n${said.slice(-MAX_HISTORY)}` : said;
  const history = fenceData(
    runtime,
    'This conversation began in a session that is lost. It went like this',
    end,
  );
  return `${history}\n\nThe next message of the user:\n\n${content}`;
}
