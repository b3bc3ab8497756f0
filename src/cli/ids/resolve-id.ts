import { ApiError } from '../../contract/client.ts';
import { CliError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';

const SHOWN = 5;

/** Where ids of one kind are looked up. */
export interface IdSource {
  /** What such an id begins with, such as `task_`. */
  prefix: string;
  /** A word for it, such as `task`. */
  noun: string;
  /** The command that lists them. */
  listCommand: string;
  /** Rejects with a 404 when there is none; left out where the whole list is as cheap. */
  get?: (id: string) => Promise<unknown>;
  /** The ids, newest first. */
  list: () => AsyncIterable<string>;
}

/** The full ID for an ID, or for a unique beginning or end of one, with or without the prefix of its kind. */
export async function resolveId(text: string, source: IdSource): Promise<string> {
  const { prefix, noun, get, list } = source;
  if (new RegExp(`^${prefix}[0-9a-f-]{36}$`).test(text)) return text;
  if (text === '' || text === prefix)
    throw new CliError(exitCodes.usage, `Not a valid ${noun} ID.`, {
      next: `See them: ${source.listCommand}`,
    });
  if (get && (await exists(text, get))) return text;
  const found: string[] = [];
  for await (const id of list())
    if (id.startsWith(text) || id.startsWith(prefix + text) || id.endsWith(text)) {
      found.push(id);
      if (found.length > SHOWN) break;
    }
  const [only, ...others] = found;
  if (only === undefined) throw noSuch(source, text);
  if (others.length === 0) return only;
  const more = found.length > SHOWN ? ' …' : '';
  throw new CliError(
    exitCodes.invalid,
    `"${text}" matches several ${noun} IDs: ${found.slice(0, SHOWN).join(', ')}${more}.`,
    {
      next: 'Give more of it.',
    },
  );
}

/** Runs an action for an ID or a unique part of one; a 404 is reported like an unknown ID. */
export async function withId<T>(
  text: string,
  source: IdSource,
  act: (id: string) => Promise<T>,
): Promise<{ id: string; answer: T }> {
  const id = await resolveId(text, source);
  try {
    return { id, answer: await act(id) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) throw noSuch(source, text, error);
    throw error;
  }
}

const noSuch = ({ noun, listCommand }: IdSource, text: string, cause?: unknown) =>
  new CliError(exitCodes.notFound, `There is no ${noun} "${text}".`, {
    next: `See them: ${listCommand}`,
    cause,
  });

async function exists(id: string, get: NonNullable<IdSource['get']>): Promise<boolean> {
  try {
    await get(id);
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return false;
    throw error;
  }
}
