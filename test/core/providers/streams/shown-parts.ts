import type { AnswerPart } from '../../../../src/core/providers/resolved-model.ts';

const notShown: ReadonlySet<string> = new Set([
  'stream-start',
  'response-metadata',
  'source',
  'raw',
  'custom',
]);
/** Ids that the packages make up. */
const made = /^[A-Za-z0-9]{16}$/;

/** What is shown of an answer, in order: pieces of one text joined, and a failure as the last entry. */
export async function shownParts(lists: AsyncIterable<readonly AnswerPart[]>): Promise<unknown[]> {
  const shown: Record<string, unknown>[] = [];
  const add = (each: AnswerPart) => {
    if (notShown.has(each.type)) return;
    const part = withoutMadeIds(each);
    const last = shown.at(-1);
    if (part.type === 'error') return shown.push({ type: 'error', error: plain(part.error) });
    if ('delta' in part && !part.providerMetadata) {
      if (part.delta === '') return;
      if (last?.['type'] === part.type && last['id'] === part.id && !last['providerMetadata'])
        return (last['delta'] = `${String(last['delta'])}${part.delta}`);
    }
    shown.push({ ...part });
  };
  try {
    for await (const list of lists) list.forEach(add);
  } catch (error) {
    shown.push({ type: 'thrown', error: plain(error) });
  }
  return shown;
}

function withoutMadeIds(part: AnswerPart): AnswerPart {
  if ('id' in part && made.test(part.id)) return { ...part, id: '0' };
  return 'toolCallId' in part && made.test(part.toolCallId) ? { ...part, toolCallId: '0' } : part;
}

const plain = (error: unknown) =>
  error instanceof Error
    ? { name: error.name, message: error.message, status: (error as { statusCode?: unknown }).statusCode }
    : error;
